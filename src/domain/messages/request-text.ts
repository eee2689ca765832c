// The text of a request (§4.1, §4.2): given, rendered from a template or as an OTP message, and measured; or the rejection.
import { otpText } from '../codes/otp-text.ts'
import type { MessageType } from '../message-type.ts'
import { Refusal, refuse } from '../refusals.ts'
import { renderTemplate } from '../templates/template.ts'
import { matchText } from '../templates/template-index.ts'
import { type Encoding, MAX_SEGMENTS, measureText } from '../text-encoding.ts'
import type { FreeText, SendRequest, TemplateContent, WorkspaceFacts } from './send-request.ts'

export interface MeasuredText {
  text: string
  encoding: Encoding
  segments: number
  /** The template it was rendered from, or matches. */
  templateId?: string
}

/** As long as every other code; the real one is not needed here. */
const ANY_CODE = '000000'

export function messageTextOf(
  request: SendRequest,
  type: MessageType,
  workspace: WorkspaceFacts,
): MeasuredText | Refusal {
  if (request.kind === 'otp') return measure(otpText(request.client.brandName, ANY_CODE), 'text')
  return contentTextOf(request.content, type, workspace)
}

export function contentTextOf(
  content: FreeText | TemplateContent,
  type: MessageType,
  workspace: Pick<WorkspaceFacts, 'templates' | 'templateIndex' | 'templatesRequired'>,
): MeasuredText | Refusal {
  return 'text' in content ? freeText(content, type, workspace) : rendered(content, type, workspace)
}

/** Measures first: a text that is too long is always invalid (§7.1), and only short texts are worth matching. */
function freeText(
  { text, keptTemplateId = null }: FreeText,
  type: MessageType,
  workspace: Pick<WorkspaceFacts, 'templates' | 'templateIndex' | 'templatesRequired'>,
): MeasuredText | Refusal {
  const measured = measure(text, 'text')
  if (measured instanceof Refusal) return measured
  // Template texts never change, so a text that matched its template before still matches.
  if (keptTemplateId !== null && workspace.templates.get(keptTemplateId)?.type === type)
    return { ...measured, templateId: keptTemplateId }
  if (!workspace.templatesRequired) return measured
  const templateId = matchText(workspace.templateIndex[type], text)
  return templateId === null ? refuse('template_required') : { ...measured, templateId }
}

function rendered(
  { templateId, variables }: TemplateContent,
  type: MessageType,
  { templates }: Pick<WorkspaceFacts, 'templates'>,
): MeasuredText | Refusal {
  const known = templates.get(templateId)
  if (known?.type !== type) return refuse('template_required', { error: 'No approved template has this id and type' })
  const result = renderTemplate(known.template, variables)
  if (result.ok) return madeFrom(templateId, measure(result.text, 'templateId'))
  const details = result.errors.map(({ variable, why }) => ({
    path: ['variables', variable],
    message: VARIABLE_FAULTS[why],
    code: why,
  }))
  return refuse('invalid_variables', { details })
}

function madeFrom(templateId: string, measured: MeasuredText | Refusal): MeasuredText | Refusal {
  return measured instanceof Refusal ? measured : { ...measured, templateId }
}

/** `field` is the request field that the text came from. */
function measure(text: string, field: 'text' | 'templateId'): MeasuredText | Refusal {
  const { encoding, segments } = measureText(text)
  if (segments <= MAX_SEGMENTS) return { text, encoding, segments }
  const message = `The text takes ${segments} segments; at most ${MAX_SEGMENTS} are possible`
  return refuse('invalid_request', { error: message, details: [{ path: [field], message, code: 'too_big' }] })
}

const VARIABLE_FAULTS = {
  missing: 'The template needs this variable',
  unknown: 'The template does not have this variable',
  empty: 'Must not be empty',
  too_long: 'Must have at most 100 characters',
  line_break: 'Must not contain a line break',
  control_character: 'Must not contain control characters',
  lone_surrogate: 'Must not contain broken characters',
  inexact_number: 'JSON cannot represent this number exactly; send it as a string',
}
