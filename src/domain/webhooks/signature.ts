// The signature header of a webhook request: `t=<unix seconds>,v1=<hex>`, with a second `v1` during a secret rotation (§6.3).
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'

export type SigningSecrets = readonly [current: string] | readonly [current: string, previous: string]

interface Signable {
  unixSeconds: number
  body: Uint8Array
  secrets: SigningSecrets
}

/** §6.3 rule 4: the previous secret also signs until its grace period ends. */
export function secretsAt(
  now: Date,
  current: string,
  previous: { secret: string; endsAt: Date } | null,
): SigningSecrets {
  return previous && now < previous.endsAt ? [current, previous.secret] : [current]
}

export function signatureHeader({ unixSeconds, body, secrets }: Signable): string {
  assert(Number.isSafeInteger(unixSeconds), 'the signature time must be whole seconds')
  const signatures = secrets.map((secret) => `v1=${sign(secret, unixSeconds, body)}`)
  return [`t=${unixSeconds}`, ...signatures].join(',')
}

// D30: the key is the whole `whsec_…` string as shown to the owner, prefix included; nothing is decoded.
function sign(secret: string, unixSeconds: number, body: Uint8Array): string {
  return createHmac('sha256', secret).update(`${unixSeconds}.`).update(body).digest('hex')
}

interface HeaderInput extends Signable {
  /** The vendor word in the headers (D32). */
  vendor: string
  event: string
  deliveryId: string
}

export function webhookHeaders({ vendor, event, deliveryId, ...signable }: HeaderInput): Record<string, string> {
  return {
    [`x-${vendor}-signature`]: signatureHeader(signable),
    [`x-${vendor}-event`]: event,
    [`x-${vendor}-delivery`]: deliveryId,
    'user-agent': `${vendor}-sms-webhooks/1`,
    'content-type': 'application/json',
    // Only the beginning of the response is read, so compression has no benefit and could expand without limit.
    'accept-encoding': 'identity',
  }
}
