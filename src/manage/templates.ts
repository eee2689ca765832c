// Templates over HTTP: submitted by owners, reviewed by the operator (§2.5).

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { MOST_PENDING, reviewTemplate, submitTemplate } from '../actions/manage-templates.ts'
import type { Ports } from '../actions/ports.ts'
import { refuse, refuseField } from '../domain/refusals.ts'
import { parseTemplate, TEMPLATE_STATUSES, type TemplateFault } from '../domain/template.ts'
import { respond, sendRefusal } from '../http/reply.ts'
import { time } from '../http/time.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { listTemplates } from '../store/templates.ts'
import { callerOf, dbOf, findAskedWorkspace } from './authenticate.ts'
import { endpointsOf } from './endpoint.ts'
import { byId, line, listOf, messageType, pageFrom, pageOf, paging } from './fields.ts'

const newTemplate = z
  .strictObject({
    name: line(100),
    type: messageType,
    text: z.string().min(1).max(1000).describe('Variables are written `{{name}}`.'),
  })
  .meta({ title: 'NewTemplate' })
const ofStatus = paging.extend({ status: z.enum(TEMPLATE_STATUSES).optional() })
const rejection = z.strictObject({ reason: line(500) }).meta({ title: 'Rejection' })

const templateAnswer = z
  .object({
    id: z.uuid(),
    workspaceId: z.uuid(),
    name: z.string(),
    type: messageType,
    text: z.string(),
    status: z.enum(TEMPLATE_STATUSES),
    reason: z.string().nullable().describe('Why it was rejected.'),
    createdAt: time,
    reviewedAt: time.nullable(),
  })
  .meta({ title: 'Template' })

const endpoint = endpointsOf('Templates')
const calls = {
  submit: endpoint(
    { roles: ['operator', 'owner', 'developer'], scope: 'workspace' },
    {
      operationId: 'submitTemplate',
      summary: 'Submit a template',
      description: `Up to ${MOST_PENDING} of a workspace wait for their review.`,
      params: byId,
      body: newTemplate,
      response: { 201: templateAnswer },
      refusals: ['conflict'],
    },
  ),
  listOfWorkspace: endpoint(
    { roles: ['operator', 'owner', 'developer', 'viewer'], scope: 'workspace' },
    {
      operationId: 'listWorkspaceTemplates',
      summary: 'List templates of a workspace',
      params: byId,
      querystring: ofStatus,
      response: { 200: listOf(templateAnswer) },
    },
  ),
  list: endpoint(
    { roles: ['operator'], scope: 'service' },
    {
      operationId: 'listTemplates',
      summary: 'List templates of all workspaces',
      querystring: ofStatus,
      response: { 200: listOf(templateAnswer) },
    },
  ),
  approve: endpoint(
    { roles: ['operator'], scope: 'workspace' },
    { operationId: 'approveTemplate', summary: 'Approve a template', params: byId, response: { 200: templateAnswer } },
  ),
  reject: endpoint(
    { roles: ['operator'], scope: 'workspace' },
    {
      operationId: 'rejectTemplate',
      summary: 'Reject a template',
      params: byId,
      body: rejection,
      response: { 200: templateAnswer },
    },
  ),
}

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

  app.post('/workspaces/:id/templates', calls.submit, async (request, reply) => {
    const parsed = parseTemplate(request.body.text)
    if (!parsed.ok) return sendRefusal(reply, refuseField('text', TEXT_FAULTS[parsed.why]))
    const result = await submitTemplate(ports, callerOf(request), {
      workspaceId: request.params.id,
      ...request.body,
    })
    return respond(reply, result, { status: 201, view: (template) => template })
  })

  app.get('/workspaces/:id/templates', calls.listOfWorkspace, async (request, reply) => {
    const workspace = await findAskedWorkspace(ports, request)
    if (!workspace) return sendRefusal(reply, refuse('not_found'))
    const { status = null, limit } = request.query
    const templates = await listTemplates(dbOf(ports, request), {
      workspaceId: workspace.id,
      status,
      ...pageFrom(request.query),
    })
    return pageOf(templates, limit, (template) => template)
  })

  app.get('/templates', calls.list, async (request) => {
    const { status = null, limit } = request.query
    const templates = await listTemplates(dbOf(ports, request), {
      workspaceId: null,
      status,
      ...pageFrom(request.query),
    })
    return pageOf(templates, limit, (template) => template)
  })

  app.post('/templates/:id/approve', calls.approve, async (request, reply) => {
    const result = await reviewTemplate(ports, callerOf(request), {
      id: request.params.id,
      verdict: { approve: true },
    })
    return respond(reply, result, { view: (template) => template })
  })

  app.post('/templates/:id/reject', calls.reject, async (request, reply) => {
    const verdict = { rejectBecause: request.body.reason }
    const result = await reviewTemplate(ports, callerOf(request), { id: request.params.id, verdict })
    return respond(reply, result, { view: (template) => template })
  })
}
