// Records who read an archive (D78): it has numbers and texts of all workspaces.
import type { ArchivedTable } from '../../store/service/archive.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

export async function recordArchive(
  ports: Ports,
  caller: Caller,
  details: { table: ArchivedTable; day: string },
): Promise<void> {
  const change = { workspaceId: null, action: 'service.archived', subject: 'service', details }
  await ports.managementDb(caller.actor).transaction((tx) => recordChange(tx, { ports, caller, ...change }))
}
