// The signature header of a posting: `t=<unix seconds>,v1=<hex>`, with a second `v1` while a secret is rotated (§6.3).
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'

export type SigningSecrets = readonly [current: string] | readonly [current: string, previous: string]

interface Signable {
  unixSeconds: number
  body: Uint8Array
  secrets: SigningSecrets
}

/** §6.3 rule 4: the previous secret signs beside the current one until its grace ends. */
export function secretsAt(
  now: Date,
  current: string,
  previous: { secret: string; endsAt: Date } | null,
): SigningSecrets {
  return previous && now < previous.endsAt ? [current, previous.secret] : [current]
}

export function signatureHeader({ unixSeconds, body, secrets }: Signable): string {
  assert(Number.isSafeInteger(unixSeconds), 'the time of a signature is whole seconds')
  const signatures = secrets.map((secret) => `v1=${sign(secret, unixSeconds, body)}`)
  return [`t=${unixSeconds}`, ...signatures].join(',')
}

// D30: the key is the whole `whsec_…` string as the owner was shown it, prefix included; nothing is decoded.
function sign(secret: string, unixSeconds: number, body: Uint8Array): string {
  return createHmac('sha256', secret).update(`${unixSeconds}.`).update(body).digest('hex')
}

interface Headed extends Signable {
  /** The word in the headers (D32). */
  vendor: string
  event: string
  deliveryId: string
}

export function postingHeaders({ vendor, event, deliveryId, ...signable }: Headed): Record<string, string> {
  return {
    [`x-${vendor}-signature`]: signatureHeader(signable),
    [`x-${vendor}-event`]: event,
    [`x-${vendor}-delivery`]: deliveryId,
    'user-agent': `${vendor}-sms-webhooks/1`,
    'content-type': 'application/json',
    // The answer is only looked at, so nothing is gained by a compressed one, and nothing can be blown up.
    'accept-encoding': 'identity',
  }
}
