// Verifies the signature of webhooks and reads their events (§6.3).
import type { Deliveries } from './deliveries.ts'
import { webCrypto } from './platform.ts'
import type { InboundEvent, LowCreditEvent, StatusEvent } from './types.ts'

/** Discriminated by `type`. */
export type WebhookEvent = StatusEvent | InboundEvent | LowCreditEvent

/** Headers of fetch, or an object with header names in any case. */
export type HeadersLike = Iterable<readonly [string, string]> | Record<string, string | readonly string[] | undefined>

export interface Verified {
  event: WebhookEvent
  /** The same on every retry. */
  deliveryId: string
  /** True if `deliveries` has the id already: respond with 2xx and do nothing else. */
  isRepeated: boolean
}

export interface VerifyOptions {
  /** Allowed difference between the time of the signature and this clock, in seconds. Default: 300. */
  tolerance?: number
  deliveries?: Deliveries
  /** Current time in milliseconds, for tests. */
  now?: number
}

export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
  readonly reason: 'no_signature' | 'wrong_signature' | 'too_old' | 'unreadable' | 'unknown_event'
  /** The status to respond with: 400, or 204 for an event of a later version (§9), which can be ignored. */
  readonly status: 400 | 204

  constructor(reason: WebhookRefused['reason'], message: string) {
    super(message)
    this.reason = reason
    this.status = reason === 'unknown_event' ? 204 : 400
  }
}

/**
 * Throws `WebhookRefused` if the request is not from the service. `rawBody` is the received body: a body that was parsed and
 * serialized again does not match its signature.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  secret: string,
  { tolerance = 300, deliveries, now = Date.now() }: VerifyOptions = {},
): Promise<Verified> {
  // Anyone could sign with an empty secret.
  if (typeof secret !== 'string' || secret === '') throw new TypeError('The webhook secret is missing')
  const body = bytesOf(rawBody)
  const { time, candidates, deliveryId } = signatureIn(headers)
  const expected = await sign(secret, time, body)
  // All candidates are compared, so that the duration reveals nothing.
  const isCorrect = candidates.map((one) => isSame(one, expected)).includes(true)
  if (!isCorrect)
    throw new WebhookRefused('wrong_signature', 'The signature is wrong. Check the webhook secret of the API client')
  // Negated, so that a tolerance of NaN rejects every signature.
  if (!(Math.abs(now / 1000 - Number(time)) <= tolerance))
    throw new WebhookRefused(
      'too_old',
      `The time of the signature is not within ${tolerance} seconds of this clock. Check the clock`,
    )
  const event = parseEvent(new TextDecoder().decode(body))
  const isRepeated = deliveries ? !(await deliveries.add(deliveryId)) : false
  return { event, deliveryId, isRepeated }
}

function bytesOf(rawBody: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  if (ArrayBuffer.isView(rawBody)) return rawBody
  // By name, because a buffer of another realm is not an instance of this ArrayBuffer.
  if (Object.prototype.toString.call(rawBody) === '[object ArrayBuffer]') return new Uint8Array(rawBody)
  throw new TypeError('rawBody must be the received body as text or bytes, not a parsed body')
}

interface Signature {
  time: string
  candidates: string[]
  deliveryId: string
}

/** Header names contain a vendor word that the operator chooses (D32), so the first complete pair of headers is used. */
function signatureIn(headers: HeadersLike): Signature {
  const named = new Map<string, string>()
  const pairs = Symbol.iterator in headers ? (headers as Iterable<readonly [string, string]>) : Object.entries(headers)
  for (const [name, value] of pairs) {
    const one = typeof value === 'string' ? value : value?.[0]
    if (one !== undefined) named.set(name.toLowerCase(), one)
  }
  for (const [name, value] of named) {
    const word = /^x-([a-z0-9]+)-signature$/.exec(name)?.[1]
    const deliveryId = named.get(`x-${word}-delivery`)
    const signature = parseSignature(value)
    if (word !== undefined && deliveryId && signature) return { ...signature, deliveryId }
  }
  throw new WebhookRefused('no_signature', 'The request has no valid signature header, or no delivery id')
}

function parseSignature(header: string): Pick<Signature, 'time' | 'candidates'> | null {
  const parts = header.split(',').map((part) => part.trim())
  const time = parts.find((part) => /^t=\d{1,12}$/.test(part))?.slice(2)
  const candidates = parts.filter((part) => /^v1=[0-9a-f]{64}$/.test(part)).map((part) => part.slice(3))
  return time === undefined || candidates.length === 0 ? null : { time, candidates }
}

async function sign(secret: string, time: string, body: Uint8Array): Promise<string> {
  const { subtle } = await webCrypto()
  const text = new TextEncoder()
  const key = await subtle.importKey('raw', text.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const head = text.encode(`${time}.`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  const mac = new Uint8Array(await subtle.sign('HMAC', key, signed))
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Compares in constant time; both have 64 characters. */
function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < other.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}

const EVENT_TYPES: readonly string[] = [
  'message.status',
  'message.inbound',
  'workspace.low_credit',
] satisfies WebhookEvent['type'][]

function parseEvent(text: string): WebhookEvent {
  const event = parse(text)
  if (typeof event !== 'object' || event === null || !('type' in event))
    throw new WebhookRefused('unreadable', 'The signed body is not an event')
  if (EVENT_TYPES.includes(String(event.type))) return event as WebhookEvent
  throw new WebhookRefused('unknown_event', 'The type of the event is unknown to this version of the package')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
