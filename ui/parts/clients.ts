// The names of a workspace's clients, for roles that may list them.
import { useList } from '../api/use.ts'
import { useCan, useWorkspaceOrNull } from '../caller.ts'
import { shortId } from './format.ts'

/** The size of a page; other clients are shown by ID. */
const MAX_CLIENTS = 200

/** On a screen of the service, `chosen` is the workspace of its filter; without one there are no clients. */
export function useClients(chosen = '') {
  const id = useWorkspaceOrNull()?.id ?? chosen
  const can = useCan()
  const canList = can('listClients') && id !== ''
  const { items, error } = useList('listClients', { params: { id }, query: { limit: MAX_CLIENTS } }, { when: canList })
  const names = new Map(items?.map((client) => [client.id, client.name]))
  return {
    clients: items ?? [],
    /** False while the names load: a table waits for them, so that nothing moves later. */
    isKnown: items !== undefined || error !== null || !canList,
    nameOf: (clientId: string) => names.get(clientId) ?? shortId(clientId),
  }
}
