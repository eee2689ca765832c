// Webhooks: whether a request comes from the service, and what it says (§6.3).
import type { Deliveries } from './deliveries.ts'
import { webCrypto } from './platform.ts'
import type { InboundEvent, StatusEvent } from './types.ts'

/** Told apart by `type`. */
export type WebhookEvent = StatusEvent | InboundEvent

/** Whatever a framework calls headers: those of fetch, or an object with the names in any case. */
export type HeadersLike = Iterable<readonly [string, string]> | Record<string, string | readonly string[] | undefined>

export interface Verified {
  event: WebhookEvent
  /** The same on every retry. */
  deliveryId: string
  /** True where `deliveries` had seen it before: answer 2xx, and do nothing else. */
  isRepeated: boolean
}

export interface VerifyOptions {
  /** How far the time of the signature may be from ours, before or after, in seconds; 300 if left out. */
  tolerance?: number
  deliveries?: Deliveries
  /** Now, in milliseconds; for tests. */
  now?: number
}

export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
  readonly reason: 'no_signature' | 'wrong_signature' | 'too_old' | 'unreadable' | 'unknown_event'
  /** What to answer with: 400, or 204 for an event of a later version (§9), which comes from the service and may be passed over. */
  readonly status: 400 | 204

  constructor(reason: WebhookRefused['reason'], message: string) {
    super(message)
    this.reason = reason
    this.status = reason === 'unknown_event' ? 204 : 400
  }
}

/**
 * Throws `WebhookRefused` for what does not come from the service. `rawBody` is the body as it came, before anything has parsed it:
 * what was parsed and written again is not what was signed.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  secret: string,
  { tolerance = 300, deliveries, now = Date.now() }: VerifyOptions = {},
): Promise<Verified> {
  // Anybody can sign with the empty word.
  if (typeof secret !== 'string' || secret === '') throw new TypeError('The webhook secret is missing')
  const body = bytesOf(rawBody)
  const { time, candidates, deliveryId } = signatureIn(headers)
  const expected = await sign(secret, time, body)
  // Every one is compared, and each to its end: how long it takes tells nothing.
  const isRight = candidates.map((one) => isSame(one, expected)).includes(true)
  if (!isRight)
    throw new WebhookRefused('wrong_signature', 'No signature is right; is it the secret of this API client?')
  // Written so that a tolerance which is no number takes nothing.
  if (!(Math.abs(now / 1000 - Number(time)) <= tolerance))
    throw new WebhookRefused('too_old', `The signature is not within ${tolerance} seconds of this clock`)
  const event = parseEvent(new TextDecoder().decode(body))
  const isRepeated = deliveries ? !(await deliveries.add(deliveryId)) : false
  return { event, deliveryId, isRepeated }
}

function bytesOf(rawBody: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  if (ArrayBuffer.isView(rawBody)) return rawBody
  // By name: one that comes from another realm is no instance of ours.
  if (Object.prototype.toString.call(rawBody) === '[object ArrayBuffer]') return new Uint8Array(rawBody)
  throw new TypeError('rawBody must be the body as it came, as text or bytes; something has parsed it already')
}

interface Signature {
  time: string
  candidates: string[]
  deliveryId: string
}

/** The names carry a word of the operator's own between `x-` and what they are (D32); others may send such names as well. */
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
  throw new WebhookRefused('no_signature', 'The request has no signature that can be read, or no delivery id')
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

/** In a time that does not depend on where they differ; both have 64 characters. */
function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < other.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}

function parseEvent(text: string): WebhookEvent {
  const event = parse(text)
  if (typeof event !== 'object' || event === null || !('type' in event))
    throw new WebhookRefused('unreadable', 'It is signed, but it is no event')
  if (event.type === 'message.status' || event.type === 'message.inbound') return event as WebhookEvent
  throw new WebhookRefused('unknown_event', 'It is signed, but it is no event that this version knows')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
