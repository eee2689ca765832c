// Reveals the number and text of a message, and records it in the audit log.
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { canSeeNumbers, maskNumber } from '../../domain/people/masking.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import { findListedMessage, type ListedMessage, type MessageFilter } from '../../store/messages/messages.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

export function revealMessage(ports: Ports, caller: Caller, id: string): Promise<ListedMessage | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const message = await findListedMessage(tx, { id, within: onlyWorkspace(caller.actor) })
    if (!message) return refuse('not_found')
    const { workspaceId } = message
    await recordChange(tx, { ports, caller, workspaceId, action: 'message.revealed', subject: id })
    return message
  })
}

/** D68: a search by number reveals to a person with masked numbers which messages went to it. */
export async function recordNumberSearch(
  ports: Ports,
  caller: Caller,
  { workspaceId, to, search }: Pick<MessageFilter, 'workspaceId' | 'to' | 'search'>,
): Promise<void> {
  const number = to ?? (search?.by === 'number' ? search.e164 : null)
  if (number === null || canSeeNumbers(caller.actor)) return
  const subject = workspaceId ?? 'service'
  const change = { action: 'message.searched', subject, details: { number: maskNumber(number) } }
  await ports
    .managementDb(caller.actor)
    .transaction((tx) => recordChange(tx, { ports, caller, workspaceId, ...change }))
}

/** D68: an export with full numbers. */
export async function recordRevealedExport(ports: Ports, caller: Caller, workspaceId: string): Promise<void> {
  const change = { action: 'message.exported', subject: workspaceId }
  await ports
    .managementDb(caller.actor)
    .transaction((tx) => recordChange(tx, { ports, caller, workspaceId, ...change }))
}
