// The allow list of a client's fraud guard (D33), changed by single entries, so that concurrent changes do not overwrite each other.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { changeClient } from '../../actions/workspaces/manage-clients.ts'
import { Refusal, refuse } from '../../domain/refusals.ts'
import { respond, respondEmpty } from '../../http/reply.ts'
import type { TypedServer } from '../../http/validation.ts'
import type { Client } from '../../store/workspaces/clients.ts'
import { callerOf, loadClient } from '../authenticate.ts'
import { DEVELOPERS, endpointsOf } from '../endpoint.ts'
import { byId, noContent, wholeListOf } from '../fields.ts'
import { applyClientPatch, MAX_PREFIXES, prefix } from '../workspaces/client-settings.ts'

const allowed = z.object({ prefix: z.string() }).meta({ title: 'AllowedPrefix' })
const newAllowed = z
  .strictObject({ prefix: prefix.describe('Number or prefix, such as +97798.') })
  .meta({ title: 'NewAllowedPrefix' })

const endpoint = endpointsOf('Codes')
/** Not for viewers, who must not see whole numbers. */
const calls = {
  list: endpoint(DEVELOPERS, {
    operationId: 'listAllowedPrefixes',
    summary: 'List the allow list',
    description: 'Numbers and prefixes that the fraud guard always allows.',
    params: byId,
    response: { 200: wholeListOf(allowed) },
  }),
  add: endpoint(DEVELOPERS, {
    operationId: 'addAllowedPrefix',
    summary: 'Add to the allow list',
    description: `Up to ${MAX_PREFIXES} numbers or prefixes. If the operator has set the fraud guard, only the operator can add to the list.`,
    params: byId,
    body: newAllowed,
    response: { 201: allowed },
    refusals: ['conflict'],
  }),
  remove: endpoint(DEVELOPERS, {
    operationId: 'removeAllowedPrefix',
    summary: 'Remove from the allow list',
    params: byId.extend({ prefix }),
    response: { 204: noContent },
    refusals: ['conflict'],
  }),
}

const FULL = { error: `The list is full (${MAX_PREFIXES} entries); remove one first` }

export function mountPumpingAllowlist(app: TypedServer, ports: Ports): void {
  app.get('/clients/:id/pumping-allowlist', calls.list, async (request) => {
    const client = await loadClient(ports, request)
    return { items: listOf(client).map((it) => ({ prefix: it })), next: null }
  })

  app.post('/clients/:id/pumping-allowlist', calls.add, async (request, reply) => {
    const added = request.body.prefix
    const result = await changeList(ports, callerOf(request), request.params.id, (list) => {
      if (list.includes(added)) return list
      return list.length < MAX_PREFIXES ? [...list, added] : refuse('conflict', FULL)
    })
    return respond(reply, result, { status: 201, view: () => ({ prefix: added }) })
  })

  app.delete('/clients/:id/pumping-allowlist/:prefix', calls.remove, async (request, reply) => {
    const removed = request.params.prefix
    const result = await changeList(ports, callerOf(request), request.params.id, (list) =>
      list.includes(removed) ? list.filter((it) => it !== removed) : refuse('not_found'),
    )
    return respondEmpty(reply, result)
  })
}

function listOf({ pumpingAllowlist }: Client): string[] {
  return pumpingAllowlist ?? []
}

function changeList(
  ports: Ports,
  caller: ReturnType<typeof callerOf>,
  id: string,
  change: (list: string[]) => string[] | Refusal,
): Promise<Client | Refusal> {
  return changeClient(ports, caller, {
    id,
    change: (client) => {
      const list = change(listOf(client))
      if (list instanceof Refusal) return list
      const pumpingAllowlist = list.length > 0 ? list : null
      return applyClientPatch(client, { restrictions: { pumpingAllowlist } }, caller.actor)
    },
  })
}
