// The clients of a workspace by their names, where who is looking may know them.
import { useList } from '../api/use.ts'
import { useMay, useWorkspace } from '../who.ts'
import { shortId } from './format.ts'

/** As many as a page holds; of others the id is shown. */
const MOST = 200

export function useClients() {
  const { id } = useWorkspace()
  const may = useMay()
  const mayKnow = may('listClients')
  const { items, fault } = useList('listClients', { params: { id }, query: { limit: MOST } }, { when: mayKnow })
  const names = new Map(items?.map((client) => [client.id, client.name]))
  return {
    clients: items ?? [],
    /** Whoever shows names waits for it, so that nothing moves when they come. */
    isKnown: items !== undefined || fault !== null || !mayKnow,
    nameOf: (clientId: string) => names.get(clientId) ?? shortId(clientId),
  }
}
