// Texts with placeholders in braces: `{to}` is what stands in the message, `{secret.NAME}` what was sealed; `{{` and `}}` are braces.
// They are parsed when they are saved, so that none is found to be wrong when a message is due.
import { SECRET_NAME } from '../secrets.ts'
import { CALLBACK_URL } from './callback.ts'

export const PLACEHOLDERS = [
  'to',
  'toDigits',
  'toNational',
  'from',
  'text',
  'textType',
  'messageId',
  'reference',
] as const
/** Of a question about a message that the carrier has: `{id}` is its own id of it. */
export const ASKED_PLACEHOLDERS = ['id', 'reference', 'messageId', 'to', 'toDigits', 'toNational'] as const
export type Placeholder = (typeof PLACEHOLDERS)[number] | (typeof ASKED_PLACEHOLDERS)[number]

/** What a message puts in. */
export type MessageValues = Readonly<Record<(typeof PLACEHOLDERS)[number], string>>

/** Several stand one behind the other, each escaped by itself; what is between them is not. */
export type FilledValues = Readonly<Partial<Record<Placeholder, string | { each: string[]; between: string }>>>

export type Piece =
  | { kind: 'words'; words: string }
  | { kind: 'message'; name: Placeholder }
  | { kind: 'secret'; name: string }
export type Template = readonly Piece[]

/** The template, or what is wrong with it in a sentence. */
export function parseTemplate(text: string, names: readonly Placeholder[] = PLACEHOLDERS): Template | string {
  const pieces: Piece[] = []
  // What is doubled comes first, so that neither half of it is taken for a brace.
  for (const [whole, name] of text.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[^{}]+|[{}]/g)) {
    const piece = name === undefined ? wordsOf(whole) : placeholder(name, names)
    if (typeof piece === 'string') return piece
    pieces.push(piece)
  }
  return pieces
}

function wordsOf(text: string): Piece | string {
  if (text === '{' || text === '}') return `Has a ${text} without its other half; two of them stand for one`
  return { kind: 'words', words: text.replace('{{', '{').replace('}}', '}') }
}

function placeholder(name: string, names: readonly Placeholder[]): Piece | string {
  const known = names.find((it) => it === name)
  if (known) return { kind: 'message', name: known }
  const secret = /^secret\.(.*)$/.exec(name)?.[1]
  if (secret !== undefined && SECRET_NAME.test(secret)) return { kind: 'secret', name: secret }
  if (name === 'callbackUrl') return { kind: 'secret', name: CALLBACK_URL }
  const some = names.map((it) => `{${it}}`).join(', ')
  return `Has {${name.slice(0, 50)}}, which is neither of ${some}, {callbackUrl} nor {secret.NAME}`
}

/** The text with everything in its place; `escaped` makes of a value what may stand there. */
export function fill(
  template: Template,
  values: { message: FilledValues | null; secrets: Readonly<Record<string, string>> },
  escaped: (value: string) => string,
): string {
  return template
    .map((piece) => {
      if (piece.kind === 'words') return piece.words
      const value = piece.kind === 'secret' ? values.secrets[piece.name] : values.message?.[piece.name]
      if (typeof value === 'object') return value.each.map((it) => escaped(it.toWellFormed())).join(value.between)
      return escaped((value ?? '').toWellFormed())
    })
    .join('')
}
