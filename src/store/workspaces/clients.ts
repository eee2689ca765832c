// API clients (§1, §5): sealed webhook secrets, settings and restrictions.
import type { PumpingGuardMode } from '../../domain/codes/pumping.ts'
import type { MessageType } from '../../domain/message-type.ts'
import type { Restrictions } from '../../domain/messages/restrictions.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, fragment, sql } from '../database/sql.ts'
import { idBelow, type Page } from '../pages.ts'
import type { KeySlot } from './client-keys.ts'

export interface ClientSettings {
  name: string
  brandName: string
  defaultSender: string
  webhookUrl: string | null
  requestsPerSecond: number
  /** D19 */
  testOtpCodeSealed: Buffer | null
  onlyTypes: MessageType[] | null
  onlyNetworks: string[] | null
  onlyPrefixes: string[] | null
  dailyCap: number | null
  hourlyCapPerNumber: number | null
  pumpingGuard: PumpingGuardMode
  /** Numbers and prefixes that always pass the fraud guard. */
  pumpingAllowlist: string[] | null
  /** D43: the restrictions that the operator has set. */
  setByOperator: Partial<Restrictions>
}

export interface ClientKey {
  id: string
  slot: KeySlot
  prefix: string
  /** As JSON writes a time. */
  createdAt: string
}

export interface Client extends ClientSettings {
  id: string
  workspaceId: string
  mode: 'live' | 'test'
  /** The active keys, the newest first. */
  keys: ClientKey[]
  disabledAt: Date | null
  disabledBy: 'operator' | 'owner' | null
  /** When the hourly cap was set; null if it was set at creation. */
  hourlyCapSince: Date | null
  webhookSecretSealed: Buffer
  previousWebhookSecretEndsAt: Date | null
  createdAt: Date
  updatedAt: Date
}

const columns = fragment`
  id, workspace_id as "workspaceId", name, brand_name as "brandName", mode, default_sender as "defaultSender",
  webhook_url as "webhookUrl", requests_per_second as "requestsPerSecond", test_otp_code_sealed as "testOtpCodeSealed",
  disabled_at as "disabledAt", disabled_by as "disabledBy", webhook_secret_sealed as "webhookSecretSealed",
  previous_webhook_secret_ends_at as "previousWebhookSecretEndsAt",
  only_types as "onlyTypes", only_networks as "onlyNetworks", only_prefixes as "onlyPrefixes", daily_cap as "dailyCap",
  hourly_cap_per_number as "hourlyCapPerNumber", hourly_cap_since as "hourlyCapSince", pumping_guard as "pumpingGuard", pumping_allowlist as "pumpingAllowlist",
  operator_restrictions as "setByOperator", created_at as "createdAt", updated_at as "updatedAt",
  (select coalesce(json_agg(json_build_object('id', key.id, 'slot', slot, 'prefix', prefix, 'createdAt', key.created_at)
      order by key.created_at desc, key.id desc), '[]')
    from client_key as key where client_id = client.id) as keys`

/** Those of these clients that have an endpoint or a listener (D45). */
export async function listListeningClients(db: Queries, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db.query<{ id: string }>(sql`
    select id from client where id = any(${ids}::uuid[]) and (webhook_url is not null or listening_until is not null)`)
  return new Set(rows.map((row) => row.id))
}

export interface NewClient {
  id: string
  workspaceId: string
  mode: 'live' | 'test'
  settings: ClientSettings
  webhookSecretSealed: Buffer
  now: Date
}

export async function insertClient(tx: Tx, client: NewClient): Promise<void> {
  const { settings } = client
  await tx.query(sql`
    insert into client (
      id, workspace_id, mode, name, brand_name, default_sender, webhook_url, requests_per_second, test_otp_code_sealed,
      only_types, only_networks, only_prefixes, daily_cap, hourly_cap_per_number, pumping_guard, pumping_allowlist,
      operator_restrictions, webhook_secret_sealed, created_at, updated_at)
    values (
      ${client.id}, ${client.workspaceId}, ${client.mode}, ${settings.name}, ${settings.brandName},
      ${settings.defaultSender}, ${settings.webhookUrl}, ${settings.requestsPerSecond}, ${settings.testOtpCodeSealed},
      ${settings.onlyTypes}, ${settings.onlyNetworks}, ${settings.onlyPrefixes}, ${settings.dailyCap},
      ${settings.hourlyCapPerNumber}, ${settings.pumpingGuard}, ${settings.pumpingAllowlist},
      ${settings.setByOperator}, ${client.webhookSecretSealed}, ${client.now}, ${client.now})`)
}

export async function updateClient(
  tx: Tx,
  {
    id,
    settings,
    hourlyCapSince,
    now,
  }: { id: string; settings: ClientSettings } & Pick<Client, 'hourlyCapSince'> & { now: Date },
): Promise<void> {
  await tx.query(sql`
    update client set
      name = ${settings.name}, brand_name = ${settings.brandName}, default_sender = ${settings.defaultSender},
      webhook_url = ${settings.webhookUrl}, requests_per_second = ${settings.requestsPerSecond},
      test_otp_code_sealed = ${settings.testOtpCodeSealed}, only_types = ${settings.onlyTypes},
      only_networks = ${settings.onlyNetworks}, only_prefixes = ${settings.onlyPrefixes},
      daily_cap = ${settings.dailyCap}, hourly_cap_per_number = ${settings.hourlyCapPerNumber},
      hourly_cap_since = ${hourlyCapSince},
      pumping_guard = ${settings.pumpingGuard}, pumping_allowlist = ${settings.pumpingAllowlist},
      operator_restrictions = ${settings.setByOperator}, updated_at = ${now}
    where id = ${id}`)
}

export async function findClient(
  db: Queries,
  { id, within }: { id: string; within: string | null },
): Promise<Client | null> {
  const rows = await db.query<Client>(sql`
    select ${columns} from client where id = ${id} and (${within}::uuid is null or workspace_id = ${within})`)
  return rows[0] ?? null
}

/** Reads the client after the lock: the subquery of a locking statement returns keys from before its wait. */
export async function lockClient(
  tx: Tx,
  { id, within }: { id: string; within: string | null },
): Promise<Client | null> {
  await tx.query(sql`
    select 1 from client where id = ${id} and (${within}::uuid is null or workspace_id = ${within}) for no key update`)
  return findClient(tx, { id, within })
}

export function listClients(
  db: Queries,
  { workspaceId, before, limit }: Page & { workspaceId: string },
): Promise<Client[]> {
  return db.query<Client>(sql`
    select ${columns} from client
    where ${every([fragment`workspace_id = ${workspaceId}`, idBelow(before)])}
    order by id desc limit ${limit}`)
}

export async function listClientIds(db: Queries, workspaceId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`select id from client where workspace_id = ${workspaceId}`)
  return rows.map(({ id }) => id)
}

export async function touchClient(tx: Tx, { id, now }: { id: string; now: Date }): Promise<void> {
  await tx.query(sql`update client set updated_at = ${now} where id = ${id}`)
}

/** The previous secret keeps signing until `previousEndsAt`; null ends it immediately (§6.3 rule 4). */
export async function replaceWebhookSecret(
  tx: Tx,
  { id, sealed, previousEndsAt, now }: { id: string; sealed: Buffer; previousEndsAt: Date | null; now: Date },
): Promise<void> {
  await tx.query(sql`
    update client set
      previous_webhook_secret_sealed = case when ${previousEndsAt}::timestamptz is null then null else webhook_secret_sealed end,
      previous_webhook_secret_ends_at = ${previousEndsAt}, webhook_secret_sealed = ${sealed}, updated_at = ${now}
    where id = ${id}`)
}

export async function markClientDisabled(
  tx: Tx,
  { id, by, now }: { id: string; by: 'operator' | 'owner'; now: Date },
): Promise<void> {
  await tx.query(sql`
    update client set disabled_at = coalesce(disabled_at, ${now}), disabled_by = ${by}, updated_at = ${now}
    where id = ${id}`)
}

export async function markClientEnabled(tx: Tx, { id, now }: { id: string; now: Date }): Promise<void> {
  await tx.query(sql`update client set disabled_at = null, disabled_by = null, updated_at = ${now} where id = ${id}`)
}

/** Includes disabled clients: otherwise disabling a client would free a place for another one without limit. */
export async function countClients(tx: Tx, workspaceId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`select count(*) from client where workspace_id = ${workspaceId}`)
  return row?.count ?? 0
}
