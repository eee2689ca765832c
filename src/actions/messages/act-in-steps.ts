// Cancels, fails and resends many messages of one workspace (D59), in steps: a transaction and an audit entry each.
import type { MessageAct } from '../../domain/messages/message-acts.ts'
import { Refusal, refuse } from '../../domain/refusals.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'
import { type ActResult, AUDIT_ACTIONS, actWithin } from './act-on-messages.ts'

/** Per call. */
export const MAX_ACTED_ON = 1_000
/** Small, because a step locks the workspace and blocks its sends. */
const AT_ONCE = 100

interface StepsRequest {
  act: MessageAct
  workspaceId: string
  ids: string[]
}

export async function actInSteps(
  ports: Ports,
  caller: Caller,
  { act, workspaceId, ids, details = {} }: StepsRequest & { details?: Record<string, unknown> },
): Promise<ActTotals> {
  const totals = new ActTotals()
  for (const step of stepsOf(ids)) {
    const result = await ports.managementDb(caller.actor).transaction(async (tx) => {
      const result = await actWithin(tx, ports, { act, workspaceId, ids: step })
      const messages = changesOf(result)
      if (messages.length > 0) {
        const change = { action: AUDIT_ACTIONS[act], subject: workspaceId, details: { ...details, messages } }
        await recordChange(tx, { ports, caller, workspaceId, ...change })
      }
      return result
    })
    totals.add(step, result)
    for (const role of result.roles) ports.notifications.notify(role)
  }
  return totals
}

/** D75: rolled back. The steps of a resend are one transaction, so that each step sees the charges of the steps before. */
export async function previewSteps(
  ports: Ports,
  caller: Caller,
  { act, workspaceId, ids }: StepsRequest,
): Promise<ActTotals> {
  const totals = new ActTotals()
  const steps = stepsOf(ids)
  // A transaction locks its messages, and their receipts wait: only where money is spent, it is longer than a step.
  const groups = act === 'resend' ? [steps] : steps.map((step) => [step])
  for (const group of groups)
    await ports.managementDb(caller.actor).rehearsal(async (tx) => {
      for (const step of group) totals.add(step, await actWithin(tx, ports, { act, workspaceId, ids: step }))
    })
  return totals
}

/** Refused messages with one reason. */
interface RefusedGroup {
  /** Of the first message. */
  error: string
  count: number
}

export class ActTotals {
  changed = 0
  chargedE4 = 0
  refundedE4 = 0
  readonly refused = new Map<string, RefusedGroup>()

  add(ids: string[], result: Pick<ActResult, 'outcomes' | 'chargedE4' | 'refundedE4'>): void {
    for (const id of ids) {
      const outcome = result.outcomes.get(id) ?? refuse('not_found')
      if (outcome instanceof Refusal) this.refuse(outcome.reason, { error: outcome.error, count: 1 })
      else this.changed += 1
    }
    this.chargedE4 += result.chargedE4
    this.refundedE4 += result.refundedE4
  }

  refuse(reason: string, { error, count }: RefusedGroup): void {
    const group = this.refused.get(reason)
    this.refused.set(reason, { error: group?.error ?? error, count: (group?.count ?? 0) + count })
  }
}

function stepsOf(ids: string[]): string[][] {
  const steps = Math.ceil(ids.length / AT_ONCE)
  return Array.from({ length: steps }, (_, step) => ids.slice(step * AT_ONCE, (step + 1) * AT_ONCE))
}

/** For the audit entry. */
function changesOf({ outcomes }: ActResult) {
  return [...outcomes].flatMap(([id, now]) => (now instanceof Refusal ? [] : [id === now ? id : { id, as: now }]))
}
