// The address that a carrier over HTTP calls with its receipts (D52): shown to be entered there, and renewed when it got about.
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
import { httpSecretsOf, sealCarrierSecrets } from './carrier-secrets.ts'
import { changingCarriers } from './manage-carriers.ts'

const NONE = { error: 'Its description has no receipts by callback' }

/** The secret part of it. After a renewal the one before is unknown at once. */
export function tellCallback(
  ports: Ports,
  caller: Caller,
  { id, renew }: { id: string; renew: boolean },
): Promise<{ token: string } | Refusal> {
  return changingCarriers(ports, caller, async (tx) => {
    const carrier = await lockCarrier(tx, id)
    if (!carrier) return refuse('not_found')
    if (carrier.kind !== 'http') return refuse('conflict', NONE)
    const before = httpSecretsOf(ports, carrier)
    if (callbackTokenOf(before) === null) return refuse('conflict', NONE)
    const secrets = renew ? withNewCallback(before, ports.chance.bytes(CALLBACK_BYTES)) : before
    const token = callbackTokenOf(secrets) ?? ''
    if (renew) {
      const secretsSealed = sealCarrierSecrets(ports, id, secrets)
      const http = { ...carrier.http, callbackHash: hashCallback(token) }
      await storeCarrier(tx, { ...carrier, http, secretsSealed, updatedAt: ports.clock.now() })
    }
    const action = renew ? 'carrier.callback_rotated' : 'carrier.callback_shown'
    await recordChange(tx, { ports, caller, workspaceId: null, action, subject: id })
    return { token }
  })
}

/** An address of its own from the moment it calls back, until it does not any more. */
export function withItsCallback({ chance }: Ports, { receipts }: HttpDescription, secrets: HttpSecrets): HttpSecrets {
  if (!hasCallback(receipts)) return withoutCallback(secrets)
  return callbackTokenOf(secrets) === null ? withNewCallback(secrets, chance.bytes(CALLBACK_BYTES)) : secrets
}
