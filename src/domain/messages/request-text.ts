// The text that a request asks for (§4.1, §4.2): given, made from a template or around a code, and measured; or why there is none.

import { otpText } from '../codes/otp-text.ts'
import type { MessageType } from '../message-type.ts'
import { Refusal, refuse } from '../refusals.ts'
import { renderTemplate } from '../templates/template.ts'
import { matchText } from '../templates/template-index.ts'
import { type Encoding, MAX_SEGMENTS, measureText } from '../text-encoding.ts'
import type { FreeText, SendRequest, TemplateContent, WorkspaceFacts } from './send-request.ts'

interface MeasuredText {
  text: string
  encoding: Encoding
  segments: number
  /** What it was made from, or matched. */
  templateId?: string
}

/** As long as every other: the code itself is nobody's business here. */
const ANY_CODE = '000000'

export function messageTextOf(
  request: SendRequest,
  type: MessageType,
  workspace: WorkspaceFacts,
): MeasuredText | Refusal {
  if (request.kind === 'otp') return measure(otpText(request.client.brandName, ANY_CODE), 'text')
  const { content } = request
  return 'text' in content ? freeText(content, type, workspace) : rendered(content, type, workspace)
}

/** Measured first: too long is wrong whatever it says (§7.1), and only what is short enough is worth holding against templates. */
function freeText(
  { text, keptTemplateId = null }: FreeText,
  type: MessageType,
  workspace: WorkspaceFacts,
): MeasuredText | Refusal {
  const measured = measure(text, 'text')
  if (measured instanceof Refusal) return measured
  // The text of a template never changes: what was made from it, or matched it, still does.
  if (keptTemplateId !== null && workspace.templates.get(keptTemplateId)?.type === type)
    return { ...measured, templateId: keptTemplateId }
  if (!workspace.templatesRequired) return measured
  const templateId = matchText(workspace.templateIndex[type], text)
  return templateId === null ? refuse('template_required') : { ...measured, templateId }
}

function rendered(
  { templateId, variables }: TemplateContent,
  type: MessageType,
  { templates }: WorkspaceFacts,
): MeasuredText | Refusal {
  const known = templates.get(templateId)
  if (known?.type !== type)
    return refuse('template_required', { error: 'There is no approved template of this id and type' })
  const result = renderTemplate(known.template, variables)
  if (result.ok) return madeFrom(templateId, measure(result.text, 'templateId'))
  const details = result.faults.map(({ variable, why }) => ({
    path: ['variables', variable],
    message: VARIABLE_FAULTS[why],
    code: why,
  }))
  return refuse('invalid_variables', { details })
}

function madeFrom(templateId: string, measured: MeasuredText | Refusal): MeasuredText | Refusal {
  return measured instanceof Refusal ? measured : { ...measured, templateId }
}

/** `field` is what the request gave the text by. */
function measure(text: string, field: 'text' | 'templateId'): MeasuredText | Refusal {
  const { encoding, segments } = measureText(text)
  if (segments <= MAX_SEGMENTS) return { text, encoding, segments }
  const message = `The text takes ${segments} segments; at most ${MAX_SEGMENTS} are possible`
  return refuse('invalid_request', { error: message, details: [{ path: [field], message, code: 'too_big' }] })
}

const VARIABLE_FAULTS = {
  missing: 'The template needs this variable',
  unknown: 'The template has no such variable',
  empty: 'Must not be empty',
  too_long: 'Must have at most 100 characters',
  line_break: 'Must not contain a line break',
  control_character: 'Must not contain control characters',
  lone_surrogate: 'Must not contain broken characters',
  inexact_number: 'JSON does not carry this number exactly; send it as a string',
}
