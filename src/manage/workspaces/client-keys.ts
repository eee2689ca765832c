// The active API keys of a client (§5.1, D71).
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { addApiKey, revokeApiKey } from '../../actions/workspaces/manage-client-keys.ts'
import { respond, respondEmpty } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import type { ClientKey } from '../../store/workspaces/clients.ts'
import { callerOf, loadClient } from '../authenticate.ts'
import { endpointsOf, fresh, OWNERS, VIEWERS } from '../endpoint.ts'
import { byId, noContent, uuid, wholeListOf } from '../fields.ts'

export const clientKey = z
  .object({ id: z.uuid(), prefix: z.string().describe('First characters of the API key.'), createdAt: time })
  .meta({ title: 'ClientKey' })
const newKey = clientKey.extend({ apiKey: z.string().describe('Shown once.') }).meta({ title: 'ClientKeyWithSecret' })

const endpoint = endpointsOf('Clients')
const calls = {
  list: endpoint(VIEWERS, {
    operationId: 'listClientKeys',
    summary: 'List API keys of a client',
    description: 'The active keys, newest first.',
    params: byId,
    response: { 200: wholeListOf(clientKey) },
  }),
  add: endpoint(fresh(OWNERS), {
    operationId: 'addClientKey',
    summary: 'Add an API key',
    description: 'A client has up to two active keys. The new key is shown once. The other key keeps working.',
    params: byId,
    response: { 201: newKey },
    refusals: ['key_limit'],
  }),
  revoke: endpoint(fresh(OWNERS), {
    operationId: 'revokeClientKey',
    summary: 'Revoke an API key',
    description: 'The key stops working immediately. The last active key cannot be revoked.',
    params: byId.extend({ keyId: uuid }),
    response: { 204: noContent },
    refusals: ['conflict'],
  }),
}

export function keyView({ id, prefix, createdAt }: ClientKey): z.input<typeof clientKey> {
  return { id, prefix, createdAt: new Date(createdAt) }
}

export function mountClientKeys(app: TypedServer, ports: Ports): void {
  app.get('/clients/:id/keys', calls.list, async (request) => {
    const { keys } = await loadClient(ports, request)
    return { items: keys.map(keyView), next: null }
  })

  app.post('/clients/:id/keys', calls.add, async (request, reply) =>
    respond(reply, await addApiKey(ports, callerOf(request), request.params.id), { status: 201, view: (it) => it }),
  )

  app.delete('/clients/:id/keys/:keyId', calls.revoke, async (request, reply) => {
    const { id: clientId, keyId } = request.params
    return respondEmpty(reply, await revokeApiKey(ports, callerOf(request), { clientId, keyId }))
  })
}
