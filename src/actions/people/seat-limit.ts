// Checks the limit of members and operators under the lock of the workspace or service.
import type { Purpose } from '../../domain/people/invitation.ts'
import { MAX_MEMBERS, MAX_OPERATORS } from '../../domain/people/person.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import type { Tx } from '../../store/database/db.ts'
import { listRoles, lockOperators } from '../../store/people/people.ts'
import { lockService } from '../../store/service/service.ts'
import { lockWorkspace } from '../../store/workspaces/workspaces.ts'

export const SEATS_TAKEN = refuse('conflict', {
  error: 'The limit of people is reached; remove a person first',
})

type Place = { kind: 'operator' } | { kind: 'recovery' } | { kind: 'member'; workspaceId: string }

export async function checkSeatLimit(tx: Tx, place: Place): Promise<Refusal | null> {
  if (place.kind === 'recovery') return null
  if (place.kind === 'operator') {
    await lockService(tx)
    return (await lockOperators(tx)).length < MAX_OPERATORS ? null : SEATS_TAKEN
  }
  await lockWorkspace(tx, { id: place.workspaceId, within: null })
  return (await listRoles(tx, place.workspaceId)).length < MAX_MEMBERS ? null : SEATS_TAKEN
}

/** Lock order: the service, then workspaces by id. */
export function inOrderOfLocks<Invited extends { purpose: Purpose }>(invitations: readonly Invited[]): Invited[] {
  const placeOf = ({ purpose }: Invited) => (purpose.kind === 'member' ? purpose.workspaceId : '')
  return invitations.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
}
