// Formats responses about a workspace: its credit, its ledger and its months.
import type { AnyJson, View } from './command.ts'
import { fieldLines, tableOf } from './table.ts'

type Width = number | null

export function toppedUpText(answer: AnyJson, width: Width): string {
  return fieldLines({ ...answer, expires: "at the end of the workspace's month" }, width)
}

/** The response is the workspace; only its credit has changed. */
export function creditRequestText({ name, balance, currency, creditRequest }: AnyJson, width: Width): string {
  return fieldLines({ name, balance, currency, creditRequest }, width)
}

export function creditAlertsText({ name, balance, currency, creditAlerts }: AnyJson, width: Width, view: View): string {
  return fieldLines({ name, balance, currency, creditAlerts }, width, view)
}

const LEAVES_BALANCE = ['reservation', 'expiry']

/** As in the export, an amount that leaves the balance is negative. */
export function ledgerRow({ kind, amount, ...entry }: AnyJson): AnyJson {
  return { ...entry, kind, amount: LEAVES_BALANCE.includes(kind) && amount !== 0 ? -amount : amount }
}

const SPENDING = ['messages', 'segments', 'cost', 'refunds', 'refunded', 'net']

/** The month as fields, then a line for each client and type, and on a terminal one for all types of a client. */
export function monthText({ clients, ...month }: AnyJson, width: Width, view: View): string {
  const rows = clients.flatMap(({ clientId, name: client, types, ...sums }: AnyJson) => [
    ...types.map((it: AnyJson) => ({ clientId, client, ...it })),
    // A program that adds up the lines of a pipe would count these twice.
    ...(types.length > 1 && width !== null ? [{ clientId, client, ...sums, type: 'all' }] : []),
  ])
  // Programs that read a pipe need the ids.
  const columns = [...(width === null ? ['clientId'] : []), 'client', 'type', ...SPENDING]
  const fields = fieldLines(month, width, view)
  return rows.length === 0 ? fields : `${fields}\n\n${tableOf(rows, { columns, width })}`
}
