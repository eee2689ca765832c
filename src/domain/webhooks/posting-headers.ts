// The headers of a posting (§6.1): the same from the service as from a listener at somebody's own computer (D46).
import { type Signable, signatureHeader } from './signature.ts'

export interface Headed extends Signable {
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
