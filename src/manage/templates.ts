// Templates over HTTP: submitted by owners, reviewed by the operator (§2.5).

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { reviewTemplate, submitTemplate } from '../actions/manage-templates.ts'
import type { Ports } from '../actions/ports.ts'
import { refuse, refuseField } from '../domain/refusals.ts'
import { parseTemplate, TEMPLATE_STATUSES, type TemplateFault } from '../domain/template.ts'
import { respond, sendRefusal } from '../http/reply.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { listTemplates } from '../store/templates.ts'
import { callerOf, dbOf, findAskedWorkspace } from './authenticate.ts'
import { byId, line, messageType, pageFrom, pageOf, paging } from './fields.ts'

const newTemplate = z.strictObject({ name: line(100), type: messageType, text: z.string().min(1).max(1000) })
const ofStatus = paging.extend({ status: z.enum(TEMPLATE_STATUSES).optional() })
const rejection = z.strictObject({ reason: line(500) })

const TEXT_FAULTS: Record<TemplateFault, string> = {
  control_character: 'The text must not contain control characters',
  lone_surrogate: 'The text must not contain broken characters',
  unclear_braces: 'Variables are written {{name}}; other double braces are not possible',
  bad_variable_name: 'The name of a variable consists of up to 40 letters, digits and underscores',
  adjacent_variables: 'There must be fixed text between two variables',
  no_fixed_text: 'There must be some fixed text beside the variables',
  too_many_variables: 'There are too many variables',
  too_long: 'The text is too long to be sent',
}

export function mountTemplates(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()
  const forOwners = { config: { owner: true } }

  app.post(
    '/workspaces/:id/templates',
    { ...forOwners, schema: { params: byId, body: newTemplate } },
    async (request, reply) => {
      const parsed = parseTemplate(request.body.text)
      if (!parsed.ok) return sendRefusal(reply, refuseField('text', TEXT_FAULTS[parsed.why]))
      const result = await submitTemplate(ports, callerOf(request), {
        workspaceId: request.params.id,
        ...request.body,
      })
      return respond(reply, result, { status: 201, view: (template) => template })
    },
  )

  app.get(
    '/workspaces/:id/templates',
    { ...forOwners, schema: { params: byId, querystring: ofStatus } },
    async (request, reply) => {
      const workspace = await findAskedWorkspace(ports, request)
      if (!workspace) return sendRefusal(reply, refuse('not_found'))
      const { status = null, limit } = request.query
      const templates = await listTemplates(dbOf(ports, request), {
        workspaceId: workspace.id,
        status,
        ...pageFrom(request.query),
      })
      return pageOf(templates, limit, (template) => template)
    },
  )

  app.get('/templates', { schema: { querystring: ofStatus } }, async (request) => {
    const { status = null, limit } = request.query
    const templates = await listTemplates(dbOf(ports, request), {
      workspaceId: null,
      status,
      ...pageFrom(request.query),
    })
    return pageOf(templates, limit, (template) => template)
  })

  app.post('/templates/:id/approve', { schema: { params: byId } }, async (request, reply) => {
    const result = await reviewTemplate(ports, callerOf(request), {
      id: request.params.id,
      verdict: { approve: true },
    })
    return respond(reply, result, { view: (template) => template })
  })

  app.post('/templates/:id/reject', { schema: { params: byId, body: rejection } }, async (request, reply) => {
    const verdict = { rejectBecause: request.body.reason }
    const result = await reviewTemplate(ports, callerOf(request), { id: request.params.id, verdict })
    return respond(reply, result, { view: (template) => template })
  })
}
