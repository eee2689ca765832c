// Writes audit entries, in the transaction of the change (§5.1 rule 8).
import { isDeepStrictEqual } from 'node:util'
import { actorName } from '../domain/people/actor.ts'
import type { Tx } from '../store/database/db.ts'
import { insertAuditEntry } from '../store/people/audit.ts'
import type { Caller, Ports } from './ports.ts'

interface Change {
  workspaceId: string | null
  action: string
  subject: string
  /** Must not contain secrets. */
  details?: Record<string, unknown>
}

export async function recordChange(tx: Tx, { ports, caller, ...change }: Change & { ports: Ports; caller: Caller }) {
  const { workspaceId } = change
  tx.afterCommit(() => ports.changeFeed.publishIn(workspaceId, 'settings'))
  await insertAuditEntry(tx, {
    id: ports.ids.next(),
    workspaceId,
    actor: actorName(caller.actor),
    action: change.action,
    subject: change.subject,
    details: change.details ?? {},
    address: caller.address,
    requestId: caller.requestId,
    at: ports.clock.now(),
  })
}

/** The changed fields as `{ field: { from, to } }`; sealed secrets as `changed`. */
export function differences(before: object, after: object): Record<string, unknown> {
  const was = new Map(Object.entries(before))
  const changed = Object.entries(after).filter(([field, to]) => !isDeepStrictEqual(was.get(field), to))
  return Object.fromEntries(
    changed.map(([field, to]) => [field, /sealed$/i.test(field) ? 'changed' : { from: was.get(field), to }]),
  )
}
