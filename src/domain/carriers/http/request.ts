// Builds the HTTP call for a message from a description. Each value is escaped for its place, so no value can change the structure of the
// call (D48).

import { referenceOf } from '../../messages/submission.ts'
import { nationalNumber } from '../../phone-number.ts'
import { isGsm7 } from '../../text-encoding.ts'
import type { HttpSecrets } from '../secrets.ts'
import type { HttpDescription, JsonValue } from './description.ts'
import { at, parsePointer } from './pointer.ts'
import {
  type FilledValues,
  fill,
  type MessageValues,
  PLACEHOLDERS,
  type Placeholder,
  parseHttpTemplate,
  type Template,
} from './template.ts'

export interface HttpCall {
  method: HttpDescription['method']
  origin: string
  /** With its query. */
  path: string
  headers: Record<string, string>
  body: string | null
}

/** Why the call cannot be built. */
export interface Unsendable {
  unsendable: string
}

/** Builds the call that submits one message. */
export type MakeSubmission = (message: MessageValues) => HttpCall | Unsendable

/** The placeholder values of one message. */
export function valuesOf(message: { messageId: string; to: string; from: string; text: string }): MessageValues {
  const { messageId, to, from, text } = message
  return {
    to,
    toDigits: to.replace(/^\+/, ''),
    toNational: nationalNumber(to),
    from,
    text,
    textType: isGsm7(text) ? 'text' : 'unicode',
    messageId,
    reference: referenceOf(messageId),
  }
}

interface Values {
  message: FilledValues
  secrets: HttpSecrets
}

/** Expects a validated description. Parses all templates once. */
export function compileSubmission(description: HttpDescription, secrets: HttpSecrets): MakeSubmission {
  const make = compileRequest({ ...description, items: null, placeholders: PLACEHOLDERS }, secrets)
  return (message) => {
    const error = unsendable(message, description)
    return error ? { unsendable: error } : make(message)
  }
}

interface RequestTemplate extends Pick<HttpDescription, 'method' | 'url' | 'headers' | 'auth' | 'body'> {
  /** Pointer into the JSON body, to the list with the one item to repeat; null repeats nothing. */
  items: string | null
  placeholders: readonly Placeholder[]
}

/** `items` are the values of the repeated item. */
type MakeRequest = (values: FilledValues, items?: readonly FilledValues[]) => HttpCall | Unsendable

export function compileRequest(template: RequestTemplate, secrets: HttpSecrets): MakeRequest {
  const { method, auth, placeholders } = template
  const ready = (text: string) => readyTemplate(text, placeholders)
  const { origin, rest } = partsOf(template.url)
  const path = withAuth(ready(rest), auth)
  const headers = Object.entries(template.headers).map(([name, value]) => [name, ready(value)] as const)
  if (auth?.kind === 'header') headers.push([auth.name, ready(auth.value)])
  const basic = auth?.kind === 'basic' ? [ready(auth.user), ready(auth.password)] : null
  const bodyOf = compileBody(template)
  return (message, items = []) => {
    const values = { message, secrets }
    const said = headers.map(([name, value]) => [name, fill(value, values, asItIs)] as const)
    if (said.some(([, value]) => !isHeaderValue(value))) return { unsendable: 'a header is not printable ASCII' }
    if (basic) said.push(['authorization', `Basic ${encoded(basic.map((it) => fill(it, values, asItIs)).join(':'))}`])
    const body = bodyOf(values, items)
    if (body) said.unshift(['content-type', body.type])
    return {
      method,
      origin,
      path: fill(path, values, encodeURIComponent),
      headers: Object.fromEntries(said.map(([name, value]) => [name.toLowerCase(), value])),
      body: body?.text ?? null,
    }
  }
}

/** D34 converts the sender, so one that is not a line of ASCII is a bug. */
function unsendable({ from, to }: MessageValues, { onlyTo }: HttpDescription): string | null {
  // A national number does not name its country: another country's carrier would deliver it to a stranger.
  if (onlyTo.length > 0 && !onlyTo.some((it) => to.startsWith(it))) return 'the number is not in onlyTo'
  return /^[ -~]*$/.test(from) ? null : 'the sender is not printable ASCII'
}

/** Printable ASCII cannot contain a line break. */
export function isHeaderValue(text: string): boolean {
  return /^[ -~]*$/.test(text)
}

/** The origin of a URL, and everything after it, unchanged. */
export function partsOf(url: string): { origin: string; rest: string } {
  const [, origin = '', rest = ''] = /^([a-z]+:\/\/[^/?#]*)(.*)$/is.exec(url) ?? []
  return { origin, rest: rest.startsWith('/') ? rest : `/${rest}` }
}

function withAuth(path: Template, auth: HttpDescription['auth']): Template {
  if (auth?.kind !== 'query') return path
  const hasQuery = path.some((piece) => piece.kind === 'words' && piece.words.includes('?'))
  const name = { kind: 'words', words: `${hasQuery ? '&' : '?'}${encodeURIComponent(auth.name)}=` } as const
  return [...path, name, ...readyTemplate(auth.value)]
}

type WriteBody = (values: Values, items: readonly FilledValues[]) => { type: string; text: string } | null

function compileBody({ body, items: pointer, placeholders }: RequestTemplate): WriteBody {
  if (body === null) return () => null
  const ready = (text: string) => readyTemplate(text, placeholders)
  if (body.kind === 'form') {
    const fields = Object.entries(body.fields).map(([name, value]) => [name, ready(value)] as const)
    return (values) => {
      const said = new URLSearchParams(fields.map(([name, value]) => [name, fill(value, values, asItIs)]))
      return { type: 'application/x-www-form-urlencoded', text: said.toString() }
    }
  }
  const type = 'application/json'
  const write = compileJson(body.value, ready)
  const place = pointer === null ? null : parsePointer(pointer)
  const list = place ? at(body.value, place) : null
  if (!place || !Array.isArray(list)) return (values) => ({ type, text: JSON.stringify(write(values)) })
  const writeItem = compileJson(list[0] ?? null, ready)
  return (values, items) => {
    const whole = write(values)
    const repeated = at(whole, place)
    if (Array.isArray(repeated)) repeated.splice(0, 1, ...items.map((message) => writeItem({ ...values, message })))
    return { type, text: JSON.stringify(whole) }
  }
}

type WriteJson = (values: Values) => JsonValue

function compileJson(value: JsonValue, ready: (text: string) => Template): WriteJson {
  if (typeof value === 'string') {
    const template = ready(value)
    return (values) => fill(template, values, asItIs)
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => compileJson(item, ready))
    return (values) => items.map((write) => write(values))
  }
  if (typeof value !== 'object' || value === null) return () => value
  const fields = Object.entries(value).map(([name, field]) => [name, compileJson(field, ready)] as const)
  return (values) => Object.fromEntries(fields.map(([name, write]) => [name, write(values)]))
}

function readyTemplate(text: string, placeholders: readonly Placeholder[] = PLACEHOLDERS): Template {
  const template = parseHttpTemplate(text, placeholders)
  if (typeof template === 'string') throw new Error(`stored template is invalid: ${template}`)
  return template
}

function asItIs(value: string): string {
  return value
}

function encoded(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}
