// A workspace requests credit, takes the request back, or the operator declines it (D86). A top-up grants it.
import { fromE4 } from '../../domain/money.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import { type CreditRequest, endRequest, openRequest } from '../../domain/workspaces/credit-request.ts'
import { storeCreditRequest } from '../../store/workspaces/credit-requests.ts'
import { lockWorkspace, type Workspace } from '../../store/workspaces/workspaces.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

/** Replaces an open request. */
export function requestCredit(
  ports: Ports,
  caller: Caller,
  { id, amountE4, note }: { id: string; amountE4: number; note: string | null },
): Promise<Workspace | Refusal> {
  return changeRequest(ports, caller, {
    id,
    action: 'workspace.credit_requested',
    change: (_, now) => openRequest({ amountE4, note, now }),
  })
}

export function withdrawCreditRequest(ports: Ports, caller: Caller, id: string): Promise<Workspace | Refusal> {
  return changeRequest(ports, caller, {
    id,
    action: 'workspace.credit_request_withdrawn',
    change: (request, now) => endRequest(request, { status: 'withdrawn', now }),
  })
}

export function declineCreditRequest(
  ports: Ports,
  caller: Caller,
  { id, reason }: { id: string; reason: string | null },
): Promise<Workspace | Refusal> {
  return changeRequest(ports, caller, {
    id,
    action: 'workspace.credit_request_declined',
    change: (request, now) => endRequest(request, { status: 'declined', reason, now }),
  })
}

function changeRequest(
  ports: Ports,
  caller: Caller,
  {
    id,
    action,
    change,
  }: { id: string; action: string; change: (request: CreditRequest | null, now: Date) => CreditRequest | null },
): Promise<Workspace | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const workspace = await lockWorkspace(tx, { id, within: onlyWorkspace(caller.actor) })
    if (!workspace) return refuse('not_found')
    const request = change(workspace.creditRequest, ports.clock.now())
    if (!request) return refuse('conflict', { error: 'The workspace has no open credit request' })
    await storeCreditRequest(tx, { workspaceId: id, request })
    const { amountE4, note, reason } = request
    const details = { amount: fromE4(amountE4), note, ...(reason !== null && { reason }) }
    await recordChange(tx, { ports, caller, workspaceId: id, action, subject: id, details })
    return { ...workspace, creditRequest: request }
  })
}
