// One HTTP exchange in a capture (D60). An allow list decides what is kept: method, host, described path, status, header names, the values that
// the description reads, and the shape of the body. No other value is copied.

import { saidPointers } from './answer.ts'
import { readBodyText, readJson } from './content.ts'
import type { HttpAuth, HttpDescription, ReceiptReading } from './description.ts'
import { at, parsePointer } from './pointer.ts'
import { parsePlace, type ReceiptSource, textAt } from './receipt-place.ts'
import { HIDDEN, type Redactor, toOneLine } from './redact.ts'
import { partsOf } from './request.ts'

const MAX_NAMES = 50
const MAX_LIST_ITEMS = 2
const MAX_READ_ITEMS = 20
const MAX_DEPTH = 6
/** Over all fields of one body. */
const MAX_FIELDS = 300

type Headers = Readonly<Record<string, unknown>>

interface HttpFrame {
  /** For Wireshark. */
  bytes: Buffer
  decoded: Record<string, unknown>
}

interface CapturedRequest {
  method: string
  host: string
  /** From the description, with placeholders instead of values. */
  path: string
  headers: Headers
  body: Uint8Array | null
}

export function captureRequest({ method, host, path, ...message }: CapturedRequest, redactor: Redactor): HttpFrame {
  const shown = isHost(host) && !redactor.isPrivate(host) ? host : '<host>'
  return frameOf({ method, host: shown, path }, { firstLine: `${method} ${path} HTTP/1.1`, ...message }, redactor)
}

export function captureAnswer(
  { status, ...message }: { status: number; headers: Headers; body: Uint8Array | null },
  redactor: Redactor,
): HttpFrame {
  return frameOf({ status }, { firstLine: `HTTP/1.1 ${status}`, ...message }, redactor)
}

function frameOf(
  first: Record<string, unknown>,
  { firstLine, headers, body }: { firstLine: string; headers: Headers; body: Uint8Array | null },
  redactor: Redactor,
): HttpFrame {
  const names = Object.keys(headers)
    .slice(0, MAX_NAMES)
    .map((name) => nameOf(name.toLowerCase(), redactor))
  const contentType = /^\s*([a-z]+\/[a-z.+-]+)/i.exec(String(headers['content-type'] ?? ''))?.[1]?.toLowerCase()
  const shape = body === null ? null : shapeOfBody(body, { contentType, redactor })
  const written = Buffer.from(shape === null ? '' : JSON.stringify(shape))
  const lines = names
    .filter((name) => !name.startsWith('<') && !BODY_HEADERS.includes(name))
    .map((name) => `${name}: ${name === 'host' ? (first.host ?? HIDDEN) : HIDDEN}`)
  const head = [firstLine, ...lines, 'content-type: application/json', `content-length: ${written.length}`]
  return {
    bytes: Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), written]),
    decoded: {
      ...first,
      headers: names,
      ...(contentType && { contentType }),
      ...(body && { body: shape, bodyBytes: body.length }),
    },
  }
}

/** In the file these headers describe the shape. */
const BODY_HEADERS = ['content-type', 'content-length', 'content-encoding', 'transfer-encoding']

function isHost(host: string): boolean {
  return /^[\w.:[\]-]{1,255}$/.test(host)
}

/** The path of the described URL; a query value is shown only if it is a placeholder. */
export function describedPath(url: string, auth: HttpAuth | null): string {
  const { rest } = partsOf(url)
  const path = rest.replaceAll(/([?&][^=&]*)=([^&]*)/g, (_, name: string, value: string) =>
    /^\{[\w.]+\}$/.test(value) ? `${name}=${value}` : `${name}=${HIDDEN}`,
  )
  if (auth?.kind !== 'query') return path
  return `${path}${path.includes('?') ? '&' : '?'}${encodeURIComponent(auth.name)}=${HIDDEN}`
}

/** Field names with types and lengths: `{"id":"string(12)"}`. */
function shapeOfBody(
  body: Uint8Array,
  { contentType = '', redactor }: { contentType?: string | undefined; redactor: Redactor },
): unknown {
  const json = readJson(body)
  if (typeof json === 'object' && json !== null)
    return shapeOf(json, { redactor, depth: 0, budget: { left: MAX_FIELDS } })
  if (contentType.includes('form-urlencoded')) return shapeOfForm(new URLSearchParams(readBodyText(body)), redactor)
  return json === undefined ? `text(${body.length} bytes)` : leafOf(json)
}

export function shapeOfForm(form: URLSearchParams, redactor: Redactor): Record<string, string> {
  const fields = [...form].slice(0, MAX_NAMES)
  return Object.fromEntries(fields.map(([name, value]) => [nameOf(name, redactor), leafOf(value)]))
}

interface ShapeContext {
  redactor: Redactor
  depth: number
  budget: { left: number }
}

function shapeOf(value: unknown, { redactor, depth, budget }: ShapeContext): unknown {
  budget.left -= 1
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH || budget.left <= 0) return leafOf(value)
  const within = { redactor, depth: depth + 1, budget }
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_LIST_ITEMS).map((item) => shapeOf(item, within))
    return value.length > items.length ? [...items, `${value.length - items.length} more`] : items
  }
  const fields = Object.entries(value)
  const shown = fields.slice(0, MAX_NAMES).map(([name, field]) => [nameOf(name, redactor), shapeOf(field, within)])
  return Object.fromEntries(shown)
}

function leafOf(value: unknown): string {
  if (typeof value === 'string') return `string(${value.length})`
  if (Array.isArray(value)) return `list(${value.length})`
  if (typeof value === 'object' && value !== null) return `object(${Object.keys(value).length})`
  return value === null ? 'null' : typeof value
}

/** Shows a name only if it looks like one, because a carrier may put any text there. */
function nameOf(name: string, redactor: Redactor): string {
  const isName = /^[\w@$][\w.:@$[\]-]{0,49}$/.test(name) && !/\d{4}/.test(name)
  return isName && !redactor.isPrivate(name) ? name : `<name(${name.length})>`
}

/** The places that a description reads, by the kind of their value. */
export interface ReadPlaces {
  /** Pointer to a list; the places are then read in each of its items. */
  list: string | null
  /** Ids, states, codes and times. */
  values: readonly string[]
  /** The carrier's error texts. */
  words: readonly string[]
  numbers: readonly string[]
}

export function placesOfAnswer({ answer }: HttpDescription): ReadPlaces {
  const values = [answer.id, ...answer.rules.map((rule) => rule.at)].filter((it) => typeof it === 'string')
  return { list: null, values, words: saidPointers(answer.said), numbers: [] }
}

export function placesOfReceipts({ list, id, reference, state, code, to, time }: ReceiptReading): ReadPlaces {
  const values = [id, reference, state, code, time].filter((it) => it !== null)
  return { list, values, words: [], numbers: to === null ? [] : [to] }
}

/** The values by place. */
export function captureRead(source: ReceiptSource, places: ReadPlaces, redactor: Redactor): unknown {
  if (places.list === null) return readOne(source, places, redactor)
  const items = at(source.json, parsePointer(places.list) ?? [])
  if (!Array.isArray(items)) return { [places.list]: notShown(items) }
  return items.slice(0, MAX_READ_ITEMS).map((json) => readOne({ ...source, json }, places, redactor))
}

function readOne(source: ReceiptSource, places: ReadPlaces, redactor: Redactor): Record<string, string> {
  const read = (names: readonly string[], show: (text: string) => string | null) =>
    names.map((place) => {
      const found = valueAt(source, place)
      const isPlain = ['string', 'number', 'boolean'].includes(typeof found)
      return [place, (isPlain ? show(String(found)) : null) ?? notShown(found)]
    })
  return Object.fromEntries([
    ...read(places.words, (text) => redactor.words(text)),
    ...read(places.numbers, maskedNumber),
    ...read(places.values, (text) => (looksLikeValue(text) && !redactor.isPrivate(text) ? text : null)),
  ])
}

function valueAt(source: ReceiptSource, place: string): unknown {
  const parsed = parsePlace(place)
  if (parsed !== null && parsed.kind !== 'json') return textAt(source, parsed)
  return at(source.json, parsePointer(place) ?? [''])
}

function notShown(value: unknown): string {
  return value === undefined ? '<missing>' : `<${leafOf(value)}>`
}

/** An id, a state, an error code or a time: one word, a few words of letters, or a time with a space. */
function looksLikeValue(text: string): boolean {
  if (/^[!-~]{1,200}$/.test(text)) return true
  return (
    /^(?=.{1,40}$)[A-Za-z]+(?: [A-Za-z]+){1,4}$/.test(text) || /^\d{4}-\d\d-\d\d \d\d:\d\d[\d:. +Z-]{0,16}$/.test(text)
  )
}

/** Shows the last three digits. */
function maskedNumber(text: string): string | null {
  const number = toOneLine(text)
  return /^\+?[\d ()-]{4,25}$/.test(number) ? number.replaceAll(/\d(?=(?:\D*\d){3})/g, '*') : null
}
