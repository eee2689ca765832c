// Creates and changes workspaces, and adds credit (D8, D9).
import { checkIdempotency, type Idempotency } from '../../domain/messages/idempotency.ts'
import { fromE4 } from '../../domain/money.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { Refusal, refuse, refuseField } from '../../domain/refusals.ts'
import { Account } from '../../domain/workspaces/account.ts'
import { endRequest } from '../../domain/workspaces/credit-request.ts'
import type { Tx } from '../../store/database/db.ts'
import { insertAnswers } from '../../store/idempotent-answers.ts'
import { findClient } from '../../store/workspaces/clients.ts'
import { replaceAlerts, storeAlertClient } from '../../store/workspaces/credit-alerts.ts'
import { storeCreditRequest } from '../../store/workspaces/credit-requests.ts'
import { storeAccounts } from '../../store/workspaces/ledger.ts'
import {
  findWorkspace,
  insertWorkspace,
  lockWorkspace,
  toAccountState,
  touchWorkspace,
  updateWorkspace,
  type Workspace,
  type WorkspaceSettings,
} from '../../store/workspaces/workspaces.ts'
import { keptAnswer, loadKnownAnswers } from '../idempotency.ts'
import type { Caller, Ports } from '../ports.ts'
import { differences, recordChange } from '../record-change.ts'

export function createWorkspace(ports: Ports, caller: Caller, settings: WorkspaceSettings): Promise<Workspace> {
  return ports.managementDb(caller.actor).transaction((tx) => addWorkspace(tx, { ports, caller, settings }))
}

export async function addWorkspace(
  tx: Tx,
  { ports, caller, settings }: { ports: Ports; caller: Caller; settings: WorkspaceSettings },
): Promise<Workspace> {
  const now = ports.clock.now()
  const id = ports.ids.next()
  const { timeZone, monthlyCreditE4 } = settings
  const account = Account.open({ workspaceId: id, timeZone, monthlyCreditE4, now })
  await insertWorkspace(tx, { id, settings, account, now })
  await storeAccounts(tx, { accounts: [account], ids: ports.ids, now })
  const details = shown(settings)
  await recordChange(tx, { ports, caller, workspaceId: id, action: 'workspace.created', subject: id, details })
  const workspace = await findWorkspace(tx, { id, within: null })
  if (!workspace) throw new Error('stored workspace not found')
  return workspace
}

/** `change` returns the new settings. */
export function changeWorkspace(
  ports: Ports,
  caller: Caller,
  { id, change }: { id: string; change: (workspace: Workspace) => WorkspaceSettings | Refusal },
): Promise<Workspace | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const before = await lockWorkspace(tx, { id, within: onlyWorkspace(caller.actor) })
    if (!before) return refuse('not_found')
    const settings = change(before)
    if (settings instanceof Refusal) return settings
    const details = differences(shown(before), shown(settings))
    if (Object.keys(details).length === 0) return before
    const now = ports.clock.now()
    // D9: the current month keeps the credit of its beginning, so it is opened before the change.
    await storeAccounts(tx, { accounts: [Account.at(now, toAccountState(before))], ids: ports.ids, now })
    await updateWorkspace(tx, { id, settings, now })
    await recordChange(tx, { ports, caller, workspaceId: id, action: 'workspace.changed', subject: id, details })
    return (await findWorkspace(tx, { id, within: null })) ?? refuse('not_found')
  })
}

export function addCredit(
  ports: Ports,
  caller: Caller,
  {
    id,
    amountE4,
    note,
    idempotency,
  }: { id: string; amountE4: number; note: string | null; idempotency: Idempotency | null },
): Promise<{ balanceE4: number; replayed: boolean } | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const workspace = await lockWorkspace(tx, { id, within: onlyWorkspace(caller.actor) })
    if (!workspace) return refuse('not_found')
    const now = ports.clock.now()
    const before = checkIdempotency(await loadKnownAnswers(tx, [{ idempotency }], now), idempotency, null)
    if (before) return before instanceof Refusal ? before : { balanceE4: Number(before.answer), replayed: true }
    const account = Account.at(now, toAccountState(workspace))
    if (!account.topUp(amountE4, note)) return refuseField('amount', 'The balance would become too large')
    await storeAccounts(tx, { accounts: [account], ids: ports.ids, now })
    const granted = endRequest(workspace.creditRequest, { status: 'granted', now })
    if (granted) await storeCreditRequest(tx, { workspaceId: id, request: granted })
    const details = { amount: fromE4(amountE4), note }
    await recordChange(tx, { ports, caller, workspaceId: id, action: 'workspace.credited', subject: id, details })
    const { balanceE4 } = account
    if (idempotency) await insertAnswers(tx, [keptAnswer(ports, idempotency, String(balanceE4))], now)
    return { balanceE4, replayed: false }
  })
}

/** Sets the balances below which the owners are alerted (D79), and the client whose webhook gets the alerts (D85). */
export function setCreditAlerts(
  ports: Ports,
  caller: Caller,
  { id, belowE4, clientId }: { id: string; belowE4: readonly number[]; clientId: string | null | undefined },
): Promise<Workspace | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const before = await lockWorkspace(tx, { id, within: onlyWorkspace(caller.actor) })
    if (!before) return refuse('not_found')
    const creditAlertsE4 = [...new Set(belowE4)].toSorted((one, other) => other - one)
    const creditAlertClientId = clientId === undefined ? before.creditAlertClientId : clientId
    const after = { ...before, creditAlertsE4, creditAlertClientId }
    const details = differences(shownAlerts(before), shownAlerts(after))
    if (Object.keys(details).length === 0) return before
    if ('clientId' in details && creditAlertClientId !== null) {
      const client = await findClient(tx, { id: creditAlertClientId, within: id })
      if (!client) return refuseField('clientId', 'The workspace has no such client')
      if (client.webhookUrl === null) return refuseField('clientId', 'The client has no webhook URL')
    }
    const now = ports.clock.now()
    await replaceAlerts(tx, { workspaceId: id, belowE4: creditAlertsE4 })
    await storeAlertClient(tx, { workspaceId: id, clientId: creditAlertClientId })
    await touchWorkspace(tx, { id, now })
    await recordChange(tx, {
      ports,
      caller,
      workspaceId: id,
      action: 'workspace.credit_alerts_set',
      subject: id,
      details,
    })
    return { ...after, updatedAt: now }
  })
}

function shownAlerts({ creditAlertsE4, creditAlertClientId }: Workspace) {
  return { below: creditAlertsE4.map(fromE4), clientId: creditAlertClientId }
}

/** The audit log has amounts as the API shows them. */
function shown({ monthlyCreditE4, priceE4, ...settings }: WorkspaceSettings) {
  const { transactional, otp, promotional } = priceE4
  const rate = { transactional: fromE4(transactional), otp: fromE4(otp), promotional: fromE4(promotional) }
  return { ...settings, monthlyCredit: fromE4(monthlyCreditE4), rate }
}
