// Cancels, fails and resends selected messages (D75), which may belong to several workspaces.
import type { MessageAct } from '../../domain/messages/message-acts.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { REFUSALS } from '../../domain/refusals.ts'
import { listWorkspacesOf } from '../../store/messages/message-acts.ts'
import { loadWorkspaceLabels } from '../../store/workspaces/workspaces.ts'
import type { Caller, Ports } from '../ports.ts'
import { ActTotals, actInSteps, previewSteps } from './act-in-steps.ts'

export interface ActedOnSelected extends Pick<ActTotals, 'changed' | 'refused'> {
  amounts: Amounts[]
}

/** In one currency. */
interface Amounts {
  currency: string
  chargedE4: number
  refundedE4: number
}

export async function actOnSelected(
  ports: Ports,
  caller: Caller,
  { act, ids, isPreview }: { act: MessageAct; ids: string[]; isPreview: boolean },
): Promise<ActedOnSelected> {
  const db = ports.managementDb(caller.actor)
  const selected = [...new Set(ids)]
  const known = await listWorkspacesOf(db, { ids: selected, within: onlyWorkspace(caller.actor) })
  const byWorkspace = Map.groupBy(known, (it) => it.workspaceId)
  const labels = await loadWorkspaceLabels(db, byWorkspace.keys())
  const run = isPreview ? previewSteps : actInSteps
  const sum = new ActTotals()
  const amounts = new Map<string, Amounts>()
  for (const [workspaceId, messages] of byWorkspace) {
    const totals = await run(ports, caller, { act, workspaceId, ids: messages.map((it) => it.id) })
    sum.changed += totals.changed
    for (const [reason, group] of totals.refused) sum.refuse(reason, group)
    const { currency = '' } = labels.get(workspaceId) ?? {}
    const { chargedE4 = 0, refundedE4 = 0 } = amounts.get(currency) ?? {}
    amounts.set(currency, {
      currency,
      chargedE4: chargedE4 + totals.chargedE4,
      refundedE4: refundedE4 + totals.refundedE4,
    })
  }
  const unknown = selected.length - known.length
  if (unknown > 0) sum.refuse('not_found', { error: REFUSALS.not_found.error, count: unknown })
  return { changed: sum.changed, refused: sum.refused, amounts: [...amounts.values()] }
}
