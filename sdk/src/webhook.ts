// Webhooks: whether a request comes from the service, and what it says (§6.3).
import { webCrypto } from './platform.ts'
import type { InboundEvent, StatusEvent } from './types.ts'

export type WebhookEvent = StatusEvent | InboundEvent

/** Whatever a framework calls headers. */
type HeadersLike = Headers | Record<string, string | readonly string[] | undefined>

/** Remembers deliveries, so that one which comes again is known: a set in memory, or a table with a unique id. */
export interface Deliveries {
  /** True for one that was not seen before; remembers it. */
  add(deliveryId: string): boolean | Promise<boolean>
}

export interface Verified {
  event: WebhookEvent
  /** The same on every retry. */
  deliveryId: string
  /** True where `deliveries` had seen it before: answer 2xx, and do nothing else. */
  isRepeated: boolean
}

export interface VerifyOptions {
  /** How far the time of the signature may be from ours, in seconds; 300 if left out. */
  tolerance?: number
  deliveries?: Deliveries
  /** Now, in milliseconds; for tests. */
  now?: number
}

export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
  readonly reason: 'no_signature' | 'wrong_signature' | 'too_old' | 'unreadable'

  constructor(reason: WebhookRefused['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Throws `WebhookRefused` for what does not come from the service. `rawBody` is the body as it came, before anything has parsed it:
 * what was parsed and written again is not what was signed.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: HeadersLike,
  secret: string,
  { tolerance = 300, deliveries, now = Date.now() }: VerifyOptions = {},
): Promise<Verified> {
  const signature = headerEnding(headers, '-signature')
  const deliveryId = headerEnding(headers, '-delivery')
  if (!signature || !deliveryId)
    throw new WebhookRefused('no_signature', 'The request has no signature or no delivery id')
  const { time, candidates } = parseSignature(signature)
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody
  const expected = await sign(secret, time, body)
  // Every one is compared, and each to its end: how long it takes tells nothing.
  const isRight = candidates.map((one) => isSame(one, expected)).includes(true)
  if (!isRight)
    throw new WebhookRefused('wrong_signature', 'No signature is right; is it the secret of this API client?')
  if (Math.abs(now / 1000 - Number(time)) > tolerance)
    throw new WebhookRefused('too_old', `The signature is not within ${tolerance} seconds of this clock`)
  const event = parseEvent(new TextDecoder().decode(body))
  const isRepeated = deliveries ? !(await deliveries.add(deliveryId)) : false
  return { event, deliveryId, isRepeated }
}

/** The headers carry a word of the service's own between `x-` and what they are. */
function headerEnding(headers: HeadersLike, ending: string): string | null {
  const pairs: Iterable<[string, string | readonly string[] | undefined]> =
    headers instanceof Headers ? headers.entries() : Object.entries(headers)
  for (const [name, value] of pairs) {
    if (!new RegExp(`^x-[a-z0-9]+${ending}$`, 'i').test(name)) continue
    const one = typeof value === 'string' ? value : value?.[0]
    if (one !== undefined) return one
  }
  return null
}

function parseSignature(header: string): { time: string; candidates: string[] } {
  const parts = header.split(',').map((part) => part.trim())
  const time = parts.find((part) => /^t=\d{1,12}$/.test(part))?.slice(2)
  const candidates = parts.filter((part) => /^v1=[0-9a-f]{64}$/.test(part)).map((part) => part.slice(3))
  if (time === undefined || candidates.length === 0)
    throw new WebhookRefused('no_signature', 'The signature cannot be read')
  return { time, candidates }
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
  try {
    const event: unknown = JSON.parse(text)
    const type = typeof event === 'object' && event !== null && 'type' in event ? event.type : null
    if (type === 'message.status' || type === 'message.inbound') return event as WebhookEvent
  } catch {
    // Told below.
  }
  throw new WebhookRefused('unreadable', 'It is signed, but it is no event that this version knows')
}
