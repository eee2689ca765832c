// Texts with placeholders: `{to}` is a value of the message, `{secret.NAME}` a secret, `{{` and `}}` literal braces. Templates are parsed when a
// carrier is saved, so that no message fails because of an invalid one.
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
/** Placeholders of a poll request: `{id}` is the carrier's id of the message. */
export const POLL_PLACEHOLDERS = ['id', 'reference', 'messageId', 'to', 'toDigits', 'toNational'] as const
export type Placeholder = (typeof PLACEHOLDERS)[number] | (typeof POLL_PLACEHOLDERS)[number]

export type MessageValues = Readonly<Record<(typeof PLACEHOLDERS)[number], string>>

/** Several values are joined: each is escaped by itself, the text between them is not escaped. */
export type FilledValues = Readonly<Partial<Record<Placeholder, string | { each: string[]; between: string }>>>

export type Piece =
  | { kind: 'words'; words: string }
  | { kind: 'message'; name: Placeholder }
  | { kind: 'secret'; name: string }
export type Template = readonly Piece[]

/** The template, or the error message. */
export function parseHttpTemplate(text: string, names: readonly Placeholder[] = PLACEHOLDERS): Template | string {
  const pieces: Piece[] = []
  // Doubled braces come first, so that neither half is read as a single brace.
  for (const [whole, name] of text.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[^{}]+|[{}]/g)) {
    const piece = name === undefined ? wordsOf(whole) : placeholder(name, names)
    if (typeof piece === 'string') return piece
    pieces.push(piece)
  }
  return pieces
}

function wordsOf(text: string): Piece | string {
  if (text === '{' || text === '}') return `Has an unmatched ${text}; write ${text}${text} for a literal brace`
  return { kind: 'words', words: text.replace('{{', '{').replace('}}', '}') }
}

function placeholder(name: string, names: readonly Placeholder[]): Piece | string {
  const known = names.find((it) => it === name)
  if (known) return { kind: 'message', name: known }
  const secret = /^secret\.(.*)$/.exec(name)?.[1]
  if (secret !== undefined && SECRET_NAME.test(secret)) return { kind: 'secret', name: secret }
  if (name === 'callbackUrl') return { kind: 'secret', name: CALLBACK_URL }
  const some = names.map((it) => `{${it}}`).join(', ')
  return `Unknown placeholder {${name.slice(0, 50)}}; allowed: ${some}, {callbackUrl}, {secret.NAME}`
}

/** `escaped` encodes a value for the place it goes to. */
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
