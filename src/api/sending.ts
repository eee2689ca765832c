// What the two sending endpoints share: how a request becomes one for the accept lane.
import type { FastifyRequest } from 'fastify'
import type { Ports } from '../actions/ports.ts'
import { readPhoneNumber } from '../domain/phone-number.ts'
import { idempotencyOf } from '../http/idempotency-key.ts'
import { clientOf } from './authenticate.ts'

interface Body {
  to: string
  senderId?: string | undefined
}

/** Who sends, whether it did before, and what every message is made of. */
export function readSending(ports: Ports, request: FastifyRequest, { to, senderId }: Body) {
  const client = clientOf(request)
  const common = {
    client,
    messageId: ports.ids.next(),
    number: readPhoneNumber(to, client.country),
    senderId: senderId ?? null,
    idempotency: idempotencyOf(request, { ownerId: client.id, keyring: ports.keyring }),
  }
  return { client, common }
}
