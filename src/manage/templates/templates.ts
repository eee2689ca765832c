// Templates: submitted by developers, reviewed by the operator (§2.5).
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import {
  changeCarrierFields,
  MAX_PENDING,
  reviewTemplate,
  submitTemplate,
} from '../../actions/templates/manage-templates.ts'
import { matchTemplates, type TextMatch } from '../../actions/templates/match-text.ts'
import type { TemplateCache } from '../../actions/templates/template-cache.ts'
import { fromE4 } from '../../domain/money.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { refuseField } from '../../domain/refusals.ts'
import { TEMPLATE_STATUSES } from '../../domain/template-status.ts'
import { parseTemplate, type TemplateError } from '../../domain/templates/template.ts'
import { textError } from '../../domain/text-encoding.ts'
import { requireFound, respond, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { findTemplate, listTemplates, type StoredTemplate } from '../../store/templates/templates.ts'
import { callerOf, dbOf, loadWorkspace } from '../authenticate.ts'
import { DEVELOPERS, endpointsOf, OPERATORS, VIEWERS, WORKSPACE_OPERATORS } from '../endpoint.ts'
import { byId, carrierFields, line, listOf, messageType, pageFrom, pageOf, paging } from '../fields.ts'

const newTemplate = z
  .strictObject({
    name: line(100).describe('Name of the template.'),
    type: messageType,
    text: z.string().min(1).max(1000).describe('Text, with variables such as `{{name}}`.'),
    carrierFields: carrierFields.default({}),
  })
  .meta({ title: 'NewTemplate' })
/** Longer than any text that can be sent, so that the response can show the number of segments. */
const MAX_MATCHED_LENGTH = 2000

const ofStatus = paging.extend({ status: z.enum(TEMPLATE_STATUSES).optional().describe('Review status.') })
const rejection = z
  .strictObject({ reason: line(500).describe('Reason, shown to the owner.') })
  .meta({ title: 'Rejection' })

const templateAnswer = z
  .object({
    id: z.uuid(),
    workspaceId: z.uuid(),
    name: z.string(),
    type: messageType,
    text: z.string(),
    variables: z.array(z.string()).describe('Variable names, in the order of the text.'),
    status: z.enum(TEMPLATE_STATUSES),
    reason: z.string().nullable().describe('Why it was rejected.'),
    carrierFields,
    createdAt: time,
    reviewedAt: time.nullable(),
  })
  .meta({ title: 'Template' })

const fieldsChange = z.strictObject({ carrierFields }).meta({ title: 'CarrierFieldsChange' })

const textToMatch = z
  .strictObject({
    text: z.string().min(1).max(MAX_MATCHED_LENGTH).describe('Text to check.'),
    type: messageType.default('transactional'),
  })
  .meta({ title: 'TextToMatch' })

const matchAnswer = z
  .object({
    encoding: z.enum(['GSM7', 'UCS2']),
    segments: z.int(),
    fits: z.boolean().describe('Whether the text is short enough to send.'),
    cost: z.number(),
    isTemplateRequired: z.boolean().describe('Whether the workspace requires templates.'),
    template: z.object({ id: z.uuid(), name: z.string() }).nullable().describe('The approved template that matches.'),
    nearest: z
      .object({
        id: z.uuid(),
        name: z.string(),
        status: z.enum(TEMPLATE_STATUSES).describe('Status. The text matches a template that is not approved.'),
        reason: z.string().nullable().describe('Why it was rejected.'),
        difference: z
          .object({
            position: z.int().describe('Position in UTF-16 code units.'),
            expected: z.string(),
            found: z.string(),
          })
          .nullable()
          .describe('First difference.'),
      })
      .nullable()
      .describe('Closest template, if none matches.'),
  })
  .meta({ title: 'TextMatch' })

const endpoint = endpointsOf('Templates')
const calls = {
  submit: endpoint(DEVELOPERS, {
    operationId: 'submitTemplate',
    summary: 'Submit a template',
    description: `A workspace has up to ${MAX_PENDING} pending templates.`,
    params: byId,
    body: newTemplate,
    response: { 201: templateAnswer },
    refusals: ['conflict'],
  }),
  listOfWorkspace: endpoint(VIEWERS, {
    operationId: 'listWorkspaceTemplates',
    summary: 'List templates of a workspace',
    params: byId,
    querystring: ofStatus,
    response: { 200: listOf(templateAnswer) },
  }),
  list: endpoint(OPERATORS, {
    operationId: 'listTemplates',
    summary: 'List templates of all workspaces',
    querystring: ofStatus,
    response: { 200: listOf(templateAnswer) },
  }),
  get: endpoint(VIEWERS, {
    operationId: 'getTemplate',
    summary: 'Get a template',
    params: byId,
    response: { 200: templateAnswer },
  }),
  match: endpoint(VIEWERS, {
    operationId: 'matchTemplates',
    summary: 'Test a message against templates',
    description: 'Returns the matching or closest template, the segments and the cost. Nothing is sent or stored.',
    params: byId,
    body: textToMatch,
    response: { 200: matchAnswer },
  }),
  approve: endpoint(WORKSPACE_OPERATORS, {
    operationId: 'approveTemplate',
    summary: 'Approve a template',
    params: byId,
    response: { 200: templateAnswer },
  }),
  reject: endpoint(WORKSPACE_OPERATORS, {
    operationId: 'rejectTemplate',
    summary: 'Reject a template',
    params: byId,
    body: rejection,
    response: { 200: templateAnswer },
  }),
  change: endpoint(WORKSPACE_OPERATORS, {
    operationId: 'changeTemplate',
    summary: 'Update the carrier fields',
    params: byId,
    body: fieldsChange,
    response: { 200: templateAnswer },
  }),
}

const TEXT_ERRORS: Record<TemplateError, string> = {
  control_character: 'The text must not contain control characters',
  lone_surrogate: 'The text must not contain invalid Unicode',
  unclear_braces: 'Double braces are only for variables; write {{name}}',
  bad_variable_name: 'The name of a variable must have up to 40 letters, digits and underscores',
  adjacent_variables: 'Two variables must have fixed text between them',
  no_fixed_text: 'The text must have fixed text beside its variables',
  too_many_variables: 'The text has too many variables; remove some',
  too_long: 'The text is too long to send; shorten it',
}

export function mountTemplates(app: TypedServer, ports: Ports, templates: TemplateCache): void {
  app.post('/workspaces/:id/templates/match', calls.match, async (request, reply) => {
    const error = textError(request.body.text)
    if (error) return sendRefusal(reply, refuseField('text', TEXT_ERRORS[error]))
    const requested = { workspaceId: request.params.id, templates, ...request.body }
    return respond(reply, await matchTemplates(ports, callerOf(request), requested), { view: matchView })
  })

  app.post('/workspaces/:id/templates', calls.submit, async (request, reply) => {
    const parsed = parseTemplate(request.body.text)
    if (!parsed.ok) return sendRefusal(reply, refuseField('text', TEXT_ERRORS[parsed.why]))
    const result = await submitTemplate(ports, callerOf(request), {
      workspaceId: request.params.id,
      ...request.body,
    })
    return respond(reply, result, { status: 201, view: templateView })
  })

  app.get('/workspaces/:id/templates', calls.listOfWorkspace, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const { status = null, limit } = request.query
    const templates = await listTemplates(dbOf(ports, request), {
      workspaceId: workspace.id,
      status,
      ...pageFrom(request.query),
    })
    return pageOf(templates, limit, templateView)
  })

  app.get('/templates', calls.list, async (request) => {
    const { status = null, limit } = request.query
    const templates = await listTemplates(dbOf(ports, request), {
      workspaceId: null,
      status,
      ...pageFrom(request.query),
    })
    return pageOf(templates, limit, templateView)
  })

  app.get('/templates/:id', calls.get, async (request) => {
    const { actor } = callerOf(request)
    const template = await findTemplate(dbOf(ports, request), { id: request.params.id, within: onlyWorkspace(actor) })
    return templateView(requireFound(template))
  })

  app.post('/templates/:id/approve', calls.approve, async (request, reply) => {
    const result = await reviewTemplate(ports, callerOf(request), {
      id: request.params.id,
      verdict: { approve: true },
    })
    return respond(reply, result, { view: templateView })
  })

  app.post('/templates/:id/reject', calls.reject, async (request, reply) => {
    const verdict = { rejectBecause: request.body.reason }
    const result = await reviewTemplate(ports, callerOf(request), { id: request.params.id, verdict })
    return respond(reply, result, { view: templateView })
  })

  mountChange(app, ports)
}

function mountChange(app: TypedServer, ports: Ports): void {
  app.patch('/templates/:id', calls.change, async (request, reply) => {
    const change = { id: request.params.id, fields: request.body.carrierFields }
    return respond(reply, await changeCarrierFields(ports, callerOf(request), change), { view: templateView })
  })
}

function templateView(template: StoredTemplate): z.input<typeof templateAnswer> {
  const parsed = parseTemplate(template.text)
  return { ...template, variables: parsed.ok ? [...new Set(parsed.template.variables)] : [] }
}

function matchView({ costE4, nearest, ...rest }: TextMatch): z.input<typeof matchAnswer> {
  return { ...rest, cost: fromE4(costE4), nearest: nearest && nearestView(nearest) }
}

function nearestView({ templateId: id, difference, ...rest }: NonNullable<TextMatch['nearest']>) {
  return { id, ...rest, difference: difference ?? null }
}
