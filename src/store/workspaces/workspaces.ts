// Workspaces (§1, §2.3) and their accounts.
import type { CarrierFields } from '../../domain/carriers/carrier.ts'
import type { MessageType } from '../../domain/message-type.ts'
import type { Account, AccountState } from '../../domain/workspaces/account.ts'
import type { CreditRequest } from '../../domain/workspaces/credit-request.ts'
import type { Plan, WorkspaceStatus } from '../../domain/workspaces/workspace.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, fragment, sql } from '../database/sql.ts'
import { findScanEnd, idBelow, idFrom, type Page, type ScannedPage } from '../pages.ts'

export interface WorkspaceSettings {
  name: string
  country: string
  currency: string
  timeZone: string
  plan: Plan
  status: WorkspaceStatus
  monthlyCreditE4: number
  priceE4: Record<MessageType, number>
  allowedTypes: MessageType[]
  /** null: every live country. */
  allowedCountries: string[] | null
  templatesRequired: boolean
  /** D43 */
  maxClients: number
  /** D57: sent to carriers with each message. */
  carrierFields: CarrierFields
}

export interface Workspace extends WorkspaceSettings {
  id: string
  balanceE4: number
  period: string
  periodEndsAt: Date
  lastEntryId: string | null
  /** Raised by every review of a template. */
  templatesRevision: number
  /** The balances below which the owners are alerted (D79), the highest first. */
  creditAlertsE4: number[]
  /** The client whose webhook gets the alerts (D85). */
  creditAlertClientId: string | null
  /** The last one (D86). */
  creditRequest: CreditRequest | null
  createdAt: Date
  updatedAt: Date
}

interface WorkspaceRow extends Omit<Workspace, 'priceE4' | 'creditRequest'> {
  creditRequest: StoredRequest | null
  transactionalPriceE4: number
  otpPriceE4: number
  promotionalPriceE4: number
}

/** JSON has times as text. */
interface StoredRequest extends Omit<CreditRequest, 'requestedAt' | 'decidedAt'> {
  requestedAt: string
  decidedAt: string | null
}

const columns = fragment`
  id, name, country, currency, time_zone as "timeZone", plan, status, monthly_credit_e4 as "monthlyCreditE4",
  transactional_price_e4 as "transactionalPriceE4", otp_price_e4 as "otpPriceE4",
  promotional_price_e4 as "promotionalPriceE4", allowed_types as "allowedTypes",
  allowed_countries as "allowedCountries", templates_required as "templatesRequired", max_clients as "maxClients",
  carrier_fields as "carrierFields",
  balance_e4 as "balanceE4", period, period_ends_at as "periodEndsAt", last_ledger_entry_id as "lastEntryId",
  templates_revision as "templatesRevision", 
  (select coalesce(json_agg(below_e4 order by below_e4 desc), '[]') from credit_alert where workspace_id = workspace.id) as "creditAlertsE4",
  (select client_id from credit_alert_webhook where workspace_id = workspace.id) as "creditAlertClientId",
  (
    select json_build_object('amountE4', amount_e4, 'note', note, 'status', request.status, 'requestedAt', requested_at,
      'decidedAt', decided_at, 'reason', reason)
    from credit_request request where workspace_id = workspace.id
  ) as "creditRequest",
  created_at as "createdAt", updated_at as "updatedAt"`

export async function insertWorkspace(
  tx: Tx,
  { id, settings, account, now }: { id: string; settings: WorkspaceSettings; account: Account; now: Date },
): Promise<void> {
  const { name, country, currency, timeZone, plan, status, monthlyCreditE4, priceE4 } = settings
  await tx.query(sql`
    insert into workspace (
      id, name, country, currency, time_zone, plan, status, monthly_credit_e4,
      transactional_price_e4, otp_price_e4, promotional_price_e4,
      allowed_types, allowed_countries, templates_required, max_clients, carrier_fields, balance_e4, period, period_ends_at,
      created_at, updated_at)
    values (
      ${id}, ${name}, ${country}, ${currency}, ${timeZone}, ${plan}, ${status}, ${monthlyCreditE4},
      ${priceE4.transactional}, ${priceE4.otp}, ${priceE4.promotional},
      ${settings.allowedTypes}, ${settings.allowedCountries}, ${settings.templatesRequired}, ${settings.maxClients},
      ${settings.carrierFields}, ${account.balanceE4}, ${account.period}, ${account.periodEndsAt}, ${now}, ${now})`)
}

export async function updateWorkspace(
  tx: Tx,
  { id, settings, now }: { id: string; settings: WorkspaceSettings; now: Date },
): Promise<void> {
  const { name, plan, status, monthlyCreditE4, priceE4 } = settings
  await tx.query(sql`
    update workspace set
      name = ${name}, plan = ${plan}, status = ${status}, monthly_credit_e4 = ${monthlyCreditE4},
      transactional_price_e4 = ${priceE4.transactional}, otp_price_e4 = ${priceE4.otp},
      promotional_price_e4 = ${priceE4.promotional}, allowed_types = ${settings.allowedTypes},
      allowed_countries = ${settings.allowedCountries}, templates_required = ${settings.templatesRequired},
      max_clients = ${settings.maxClients}, carrier_fields = ${settings.carrierFields}, updated_at = ${now}
    where id = ${id}`)
}

/** `within` is the only workspace that the caller may see, or null for any. */
export async function findWorkspace(
  db: Queries,
  { id, within }: { id: string; within: string | null },
): Promise<Workspace | null> {
  const rows = await db.query<WorkspaceRow>(sql`
    select ${columns} from workspace where id = ${id} and (${within}::uuid is null or id = ${within})`)
  return rows[0] ? fromRow(rows[0]) : null
}

/** Every transaction locks workspaces in id order before anything else, which prevents deadlocks. */
export async function lockWorkspace(
  tx: Tx,
  { id, within }: { id: string; within: string | null },
): Promise<Workspace | null> {
  const rows = await tx.query<WorkspaceRow>(sql`
    select ${columns} from workspace where id = ${id} and (${within}::uuid is null or id = ${within})
    for no key update`)
  return rows[0] ? fromRow(rows[0]) : null
}

interface WorkspaceLabel {
  name: string
  currency: string
}

/** By id. */
export async function loadWorkspaceLabels(db: Queries, ids: Iterable<string>): Promise<Map<string, WorkspaceLabel>> {
  const requested = [...new Set(ids)]
  if (requested.length === 0) return new Map()
  const rows = await db.query<WorkspaceLabel & { id: string }>(sql`
    select id, name, currency from workspace where id = any(${requested}::uuid[])`)
  return new Map(rows.map(({ id, ...label }) => [id, label]))
}

interface WorkspaceFilter {
  /** Part of the name, in any letter case. */
  name: string | null
  status: WorkspaceStatus | null
}

export async function listWorkspaces(db: Queries, filter: WorkspaceFilter & Page): Promise<ScannedPage<Workspace>> {
  const { name, status, before, limit } = filter
  const table = fragment`workspace`
  const range = every([idBelow(before)])
  const filters = [
    name === null ? null : fragment`position(lower(${name}) in lower(name)) > 0`,
    status === null ? null : fragment`status = ${status}`,
  ]
  const scannedTo = await findScanEnd(db, { table, range, filters })
  const rows = await db.query<WorkspaceRow>(sql`
    select ${columns} from ${table} where ${every([range, ...filters, idFrom(scannedTo)])}
    order by id desc limit ${limit}`)
  return { rows: rows.map(fromRow), scannedTo }
}

export async function touchWorkspace(tx: Tx, { id, now }: { id: string; now: Date }): Promise<void> {
  await tx.query(sql`update workspace set updated_at = ${now} where id = ${id}`)
}

/** Workspaces whose billing period has ended and was not yet closed by a request. */
export async function listWorkspacesWithEndedPeriod(db: Queries, now: Date, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from workspace where period_ends_at <= ${now} order by id limit ${limit}`)
  return rows.map((row) => row.id)
}

export async function findNextPeriodEnd(db: Queries): Promise<Date | null> {
  const rows = await db.query<{ at: Date | null }>(sql`select min(period_ends_at) as at from workspace`)
  return rows[0]?.at ?? null
}

export async function raiseTemplatesRevision(tx: Tx, workspaceId: string): Promise<void> {
  await tx.query(sql`update workspace set templates_revision = templates_revision + 1 where id = ${workspaceId}`)
}

export function toAccountState(workspace: Workspace): AccountState {
  const { id, timeZone, monthlyCreditE4, balanceE4, period, periodEndsAt, lastEntryId } = workspace
  return { workspaceId: id, timeZone, monthlyCreditE4, balanceE4, period, periodEndsAt, lastEntryId }
}

function fromRow(row: WorkspaceRow): Workspace {
  const { transactionalPriceE4, otpPriceE4, promotionalPriceE4, creditRequest, ...rest } = row
  return {
    ...rest,
    creditRequest: creditRequest && {
      ...creditRequest,
      requestedAt: new Date(creditRequest.requestedAt),
      decidedAt: creditRequest.decidedAt === null ? null : new Date(creditRequest.decidedAt),
    },
    priceE4: { transactional: transactionalPriceE4, otp: otpPriceE4, promotional: promotionalPriceE4 },
  }
}

export interface LockedWorkspace extends AccountState {
  priceE4: Record<MessageType, number>
  allowedTypes: MessageType[]
  allowedCountries: string[] | null
  templatesRequired: boolean
  templatesRevision: number
}

export async function lockWorkspaces(tx: Tx, ids: string[]): Promise<LockedWorkspace[]> {
  const rows = await tx.query<
    Omit<LockedWorkspace, 'priceE4'> & { transactional: number; otp: number; promotional: number }
  >(sql`
    select id as "workspaceId", time_zone as "timeZone", monthly_credit_e4 as "monthlyCreditE4",
      balance_e4 as "balanceE4", period, period_ends_at as "periodEndsAt", last_ledger_entry_id as "lastEntryId",
      transactional_price_e4 as transactional, otp_price_e4 as otp, promotional_price_e4 as promotional,
      allowed_types as "allowedTypes", allowed_countries as "allowedCountries",
      templates_required as "templatesRequired", templates_revision as "templatesRevision"
    from workspace where id = any(${ids}::uuid[]) order by id for no key update`)
  return rows.map(({ transactional, otp, promotional, ...row }) => ({
    ...row,
    priceE4: { transactional, otp, promotional },
  }))
}

/** Locks the free workspaces without waiting, and returns their ids. */
export async function tryLockWorkspaces(tx: Tx, ids: string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from workspace where id = any(${ids}::uuid[]) order by id for no key update skip locked`)
  return new Set(rows.map((row) => row.id))
}
