// The OTPs of each workspace: sent, verified, and refused by the fraud guard. A row opens the screen of its workspace.
import type { CodeWorkspace } from '../api/calls.ts'
import { useCall } from '../api/use.ts'
import { count, shareOf } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'
import { workspaceColumn } from '../parts/workspace-filter.tsx'
import { words } from '../words/index.ts'
import { LIVE } from './source.ts'

export function WorkspaceTable({ query }: { query: { from?: string } }) {
  const { data, error } = useCall('getCodesByWorkspace', { query }, LIVE)
  return (
    <Table
      caption={words.allWorkspaces.byWorkspace}
      columns={columns()}
      items={data?.items}
      keyOf={({ workspaceId }) => workspaceId}
      hrefOf={({ workspaceId }) => `~/console/w/${workspaceId}/codes`}
      error={error}
      empty={<p>{words.allWorkspaces.noCodes}</p>}
    />
  )
}

const columns = (): Column<CodeWorkspace>[] => [
  workspaceColumn(),
  { head: words.codes.sent, cell: ({ sent }) => count(sent), right: true },
  { head: words.codes.delivered, cell: ({ delivered }) => count(delivered), right: true, secondary: true },
  { head: words.codes.deliveredShare, cell: (it) => shareOf(it.delivered, it.sent), right: true, secondary: true },
  { head: words.codes.verified, cell: ({ verified }) => count(verified), right: true, secondary: true },
  { head: words.codes.verifiedShare, cell: (it) => shareOf(it.verified, it.sent), right: true },
  { head: words.allWorkspaces.refused, cell: ({ refused }) => count(refused), right: true },
]
