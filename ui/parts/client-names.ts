// What API clients are called: people know them by their names.
import { useCall } from '../api/use.ts'
import { useMay, useWorkspace } from '../who.ts'

const MOST_NAMED = 200

/** Those of the workspace, as far as the reader may see them. */
export function useClients(): { id: string; name: string }[] {
  const { id } = useWorkspace()
  const may = useMay()
  const { data } = useCall(
    'listClients',
    { params: { id }, query: { limit: MOST_NAMED } },
    { when: may('listClients') },
  )
  return data?.items ?? []
}

export function useClientName(): (id: string) => string {
  const names = new Map(useClients().map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? id.slice(-12)
}
