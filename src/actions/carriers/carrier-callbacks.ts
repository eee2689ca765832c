// The secret callback address of an HTTP carrier (D52): shown, rotated, and created with the description.
import {
  CALLBACK_BYTES,
  callbackTokenOf,
  hasCallback,
  hashCallback,
  withNewCallback,
  withoutCallback,
} from '../../domain/carriers/http/callback.ts'
import type { HttpDescription } from '../../domain/carriers/http/description.ts'
import type { HttpSecrets } from '../../domain/carriers/secrets.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import { lockCarrier, storeCarrier } from '../../store/carriers/carriers.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'
import { decryptHttpSecrets, encryptCarrierSecrets } from './carrier-secrets.ts'
import { changingCarriers } from './manage-carriers.ts'

const NONE = { error: 'The description of this carrier has no receipt callback' }

/** Returns the secret part of the address. After a rotation the old address stops working at once. */
export function getCallbackToken(
  ports: Ports,
  caller: Caller,
  { id, renew }: { id: string; renew: boolean },
): Promise<{ token: string } | Refusal> {
  return changingCarriers(ports, caller, async (tx) => {
    const carrier = await lockCarrier(tx, id)
    if (!carrier) return refuse('not_found')
    if (carrier.kind !== 'http') return refuse('conflict', NONE)
    const before = decryptHttpSecrets(ports, carrier)
    if (callbackTokenOf(before) === null) return refuse('conflict', NONE)
    const secrets = renew ? withNewCallback(before, ports.random.bytes(CALLBACK_BYTES)) : before
    const token = callbackTokenOf(secrets) ?? ''
    if (renew) {
      const secretsSealed = encryptCarrierSecrets(ports, id, secrets)
      const http = { ...carrier.http, callbackHash: hashCallback(token) }
      await storeCarrier(tx, { ...carrier, http, secretsSealed, updatedAt: ports.clock.now() })
    }
    const action = renew ? 'carrier.callback_rotated' : 'carrier.callback_shown'
    await recordChange(tx, { ports, caller, workspaceId: null, action, subject: id })
    return { token }
  })
}

/** Adds or removes the callback token as the description requires. */
export function withCallbackToken({ random }: Ports, { receipts }: HttpDescription, secrets: HttpSecrets): HttpSecrets {
  if (!hasCallback(receipts)) return withoutCallback(secrets)
  return callbackTokenOf(secrets) === null ? withNewCallback(secrets, random.bytes(CALLBACK_BYTES)) : secrets
}
