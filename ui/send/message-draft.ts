// What the dialog sends: the body of the call, the fields that are missing, and the field of each refusal.
import type { NewMessage, Template } from '../api/calls.ts'

export interface Draft {
  to: string
  content: 'text' | 'template'
  text: string
  /** Only of a free text; a template has its own. */
  type: Template['type']
  template: Template | undefined
  variables: Readonly<Record<string, string>>
}

/** As the API accepts it: without spaces and punctuation, in Latin digits. */
export function plainNumber(typed: string): string {
  return typed
    .replaceAll(/[\s().\-\u2010-\u2015]/g, '')
    .replaceAll(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - '०'.charCodeAt(0)))
}

/** Values that are not entered are left out. */
export function bodyOf({ to, content, text, type, template, variables }: Draft): NewMessage {
  const common = { to: plainNumber(to) }
  if (content === 'text') return { ...common, ...(text && { text }), type }
  if (!template) return common
  const entered = template.variables.flatMap((name) => (variables[name] ? [[name, variables[name]] as const] : []))
  return { ...common, templateId: template.id, variables: Object.fromEntries(entered) }
}

/** The names of the fields that must still be filled. */
export function missingOf({ to, content, text, template, variables }: Draft): string[] {
  const number = plainNumber(to) === '' ? ['to'] : []
  if (content === 'text') return text === '' ? [...number, 'text'] : number
  if (!template) return [...number, 'templateId']
  return [...number, ...template.variables.filter((name) => !variables[name]).map((name) => `variables.${name}`)]
}

/** A refusal of the send or of its preview. */
export interface Refused {
  code: string
  message: string
  details: readonly { path: readonly (string | number)[]; message: string; code?: string }[]
}

type Field = 'client' | 'to' | 'content'

const FIELD_OF: Readonly<Record<string, Field>> = {
  invalid_number: 'to',
  destination_not_supported: 'to',
  prefix_not_allowed: 'to',
  number_cap: 'to',
  template_required: 'content',
  forbidden: 'content',
  type_not_allowed: 'content',
  client_disabled: 'client',
  ip_not_allowed: 'client',
  daily_cap: 'client',
}

/** Texts by field; the text of a refusal that belongs to no field is `rest`. */
export interface Problems {
  fields: Readonly<Record<string, string>>
  rest: string | null
}

/** Empty variables are no error before the message is sent: the form shows that they are empty. */
const UNFINISHED = ['missing', 'empty']

export function problemsOf(
  refusals: readonly Refused[],
  { content, sentences }: { content: Draft['content']; sentences: Readonly<Record<string, string | undefined>> },
): Problems {
  const fields: Record<string, string> = {}
  let rest: string | null = null
  for (const { code, message, details } of refusals) {
    const field = FIELD_OF[code]
    const sentence = sentences[code] ?? message
    if (field) fields[field === 'content' ? (content === 'text' ? 'text' : 'templateId') : field] ??= sentence
    else if (details.length === 0) rest ??= sentence
    for (const detail of details)
      if (!UNFINISHED.includes(detail.code ?? '')) fields[detail.path.join('.')] ??= detail.message
  }
  return { fields, rest }
}
