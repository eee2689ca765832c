// Sends messages that failed as others, charged like any: together with their reservation, their place in the queue and the note of
// what they stand for (D59).
import { Account } from '../domain/account.ts'
import { sendableCountries } from '../domain/coverage.ts'
import { Refusal, refuse } from '../domain/refusals.ts'
import { chargeAnew } from '../domain/send-anew.ts'
import type { MessageState } from '../domain/transition.ts'
import { chargedDay, UsageSum } from '../domain/usage.ts'
import { addUsage, lockWorkspaces, readSwitches } from '../store/acceptance.ts'
import type { Tx } from '../store/db.ts'
import { entriesOf, storeEntries } from '../store/ledger.ts'
import { type ActDetails, type AnewMessage, copyMessages } from '../store/message-acts.ts'
import { countAccepted } from '../store/message-quarters.ts'
import { findWorkspace } from '../store/workspaces.ts'
import type { Ports } from './ports.ts'
import { returnMessages } from './return-messages.ts'

/** By message: the one that it is sent as, or why it is not. All are of one workspace, which is locked, and so are they. */
export async function sendAnew(
  tx: Tx,
  ports: Ports,
  { messages, details, now }: { messages: MessageState[]; details: ReadonlyMap<string, ActDetails>; now: Date },
): Promise<Map<string, string | Refusal>> {
  const outcomes = new Map<string, string | Refusal>()
  const [first] = messages
  if (!first) return outcomes
  const { workspaceId } = first
  const [[locked], workspace, switches] = await Promise.all([
    lockWorkspaces(tx, [workspaceId]),
    findWorkspace(tx, { id: workspaceId, within: null }),
    readSwitches(tx),
  ])
  if (!locked || !workspace) throw new Error('a message has no workspace')
  const account = Account.at(now, locked)
  const { allowedTypes, priceE4, timeZone } = locked
  const { status } = workspace
  const { smsEnabled, liveCountries } = switches
  const allowedCountries = sendableCountries(liveCountries, locked.allowedCountries)
  const facts = { smsEnabled, status, allowedTypes, allowedCountries, priceE4 }
  const charged: { of: MessageState; id: string; costE4: number }[] = []
  for (const message of messages) {
    const more = details.get(message.id)
    const cost = more ? chargeAnew({ ...message, ...more }, facts, account) : refuse('not_found')
    const id = ports.ids.next()
    outcomes.set(message.id, cost instanceof Refusal ? cost : id)
    if (!(cost instanceof Refusal)) charged.push({ of: message, id, costE4: cost })
  }
  const entries = entriesOf([account], ports.ids, now)
  const reservationId = entries.findLast((entry) => entry.kind === 'reservation')?.id ?? null
  const anew = charged.map(({ of, id, costE4 }): AnewMessage => {
    return { id, of: of.id, costE4, reservationId: costE4 > 0 ? reservationId : null }
  })
  const usage = new UsageSum()
  const day = chargedDay(now, { timeZone, period: account.period })
  for (const { of, costE4 } of charged) {
    const { clientId, type, segments } = of
    usage.add({ workspaceId, clientId, day, type }, { messages: 1, segments, costE4 })
  }
  await Promise.all([
    copyMessages(tx, anew, now),
    storeEntries(tx, { accounts: [account], entries }),
    addUsage(tx, usage.rows()),
    countAccepted(
      tx,
      anew.map(() => ({ status: 'queued', request: { client: { workspaceId } } })),
      now,
    ),
  ])
  await returnMessages(tx, {
    returns: anew.map(({ id }) => ({ messageId: id, dueAt: now, avoidCarrierId: null })),
    now,
  })
  tx.afterCommit(() => ports.news.tell(() => anew.map(({ id }) => ({ id, workspaceId }))))
  return outcomes
}
