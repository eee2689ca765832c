// Shows a person the whole number and the text of one message: it is kept who asked, as if it were a change.
import { onlyWorkspace } from '../domain/actor.ts'
import { type Refusal, refuse } from '../domain/refusals.ts'
import { findListedMessage, type ListedMessage } from '../store/messages.ts'
import type { Caller, Ports } from './ports.ts'
import { recordChange } from './record-change.ts'

export function revealMessage(ports: Ports, caller: Caller, id: string): Promise<ListedMessage | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const message = await findListedMessage(tx, { id, within: onlyWorkspace(caller.actor) })
    if (!message) return refuse('not_found')
    const { workspaceId } = message
    await recordChange(tx, { ports, caller, workspaceId, action: 'message.revealed', subject: id })
    return message
  })
}
