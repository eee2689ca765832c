// The clients of a workspace by their names, where who is looking may know them.
import { useList } from '../api/use.ts'
import { useMay, useWorkspace } from '../who.ts'

const MOST = 200
const LAST_OF_ID = -12

export function useClients() {
  const { id } = useWorkspace()
  const may = useMay()
  const { items } = useList('listClients', { params: { id }, query: { limit: MOST } }, { when: may('listClients') })
  const names = new Map(items?.map((client) => [client.id, client.name]))
  return { clients: items ?? [], nameOf: (clientId: string) => names.get(clientId) ?? clientId.slice(LAST_OF_ID) }
}
