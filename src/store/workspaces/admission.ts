// API key lookup and request rate limits (D26). Clients are read for every batch, so that a change applies immediately.
import type { SendingClient } from '../../domain/messages/send-request.ts'
import type { WindowLimit } from '../../domain/sliding-window.ts'
import type { AdmissibleClient, CallerUsage } from '../../domain/workspaces/admission.ts'
import type { Queries } from '../database/db.ts'
import { fragment, prepared, sql } from '../database/sql.ts'

export interface KnownClient extends SendingClient {
  disabledAt: Date | null
  requestsPerSecond: number
  testOtpCodeSealed: Buffer | null
  onlyNetworks: string | null
  pumpingAllowlist: string[] | null
  country: string
  timeZone: string
}

const knownClient = fragment`
  c.id, c.workspace_id as "workspaceId", c.mode, c.brand_name as "brandName", c.default_sender as "defaultSender",
  c.disabled_at as "disabledAt", c.requests_per_second as "requestsPerSecond",
  c.test_otp_code_sealed as "testOtpCodeSealed", c.only_types as "onlyTypes",
  array_to_string(c.only_networks, ',') as "onlyNetworks", c.only_prefixes as "onlyPrefixes", c.daily_cap as "dailyCap",
  c.hourly_cap_per_number as "hourlyCapPerNumber", c.hourly_cap_since as "hourlyCapSince",
  c.pumping_guard as "pumpingGuard", c.pumping_allowlist as "pumpingAllowlist",
  w.status as "workspaceStatus", w.country, w.time_zone as "timeZone"`

/** Like `useKeys` by client id, without counting toward the rate limit. */
export function loadClients(db: Queries, ids: string[]): Promise<KnownClient[]> {
  return db.query(sql`
    select ${knownClient} from client c join workspace w on w.id = c.workspace_id where c.id = any(${ids}::uuid[])`)
}

export interface KeyUse {
  apiKeyHash: string
  requests: number
}

export interface UsedKey extends KnownClient, AdmissibleClient {
  apiKeyHash: string
}

/**
 * Looks up the clients and takes a token per request from each client's token bucket, whose burst equals its rate. Both keys of a
 * client share its bucket (D71). The inserted row is a full bucket; an existing bucket is first refilled for the elapsed time. A
 * rejected request costs a token too (D43).
 */
export function useKeys(db: Queries, uses: KeyUse[], now: Date): Promise<UsedKey[]> {
  return db.query(
    prepared(sql`
    with known as materialized (
      select used.requests, used.hash as "apiKeyHash", ${knownClient}
      from unnest(${uses.map((it) => it.apiKeyHash)}::text[], ${uses.map((it) => it.requests)}::int[]) as used (hash, requests)
        join client_key k on k.hash = decode(used.hash, 'hex')
        join client c on c.id = k.client_id
        join workspace w on w.id = c.workspace_id
    ), taken as (
      insert into request_bucket as bucket (client_id, tokens, refilled_at, granted)
      select id, "requestsPerSecond" - least(sum(requests), "requestsPerSecond"), ${now}::timestamptz,
        least(sum(requests), "requestsPerSecond")
      from known group by id, "requestsPerSecond" order by id
      on conflict (client_id) do update set
        granted = least(excluded.granted, floor(filled_bucket(
          bucket.tokens, excluded.tokens + excluded.granted, bucket.refilled_at, excluded.refilled_at))),
        tokens = filled_bucket(
            bucket.tokens, excluded.tokens + excluded.granted, bucket.refilled_at, excluded.refilled_at)
          - least(excluded.granted, floor(filled_bucket(
            bucket.tokens, excluded.tokens + excluded.granted, bucket.refilled_at, excluded.refilled_at))),
        refilled_at = greatest(bucket.refilled_at, excluded.refilled_at)
      returning client_id, granted, tokens
    )
    select known.*, taken.granted, taken.tokens from known join taken on taken.client_id = known.id`),
  )
}

export interface CallerUse extends KeyUse {
  /** The caller's IP address or network, as the limit counts it. */
  caller: string
}

interface CountedCaller extends CallerUsage {
  clientId: string
  caller: string
}

/**
 * Counts OTP requests toward the limit per caller address (§8.2, D39). The update locks the row, so concurrent processes count
 * exactly. Requests over the limit are not counted, and test clients have no limit (D24).
 */
export function countCallers(
  db: Queries,
  { uses, limit, now }: { uses: CallerUse[]; limit: Omit<WindowLimit, 'scope'>; now: Date },
): Promise<CountedCaller[]> {
  const { most } = limit
  const since = new Date(now.getTime() - limit.seconds * 1000)
  return db.query(sql`
    insert into otp_caller as known (client_id, caller, requested_at, granted)
    select c.id, used.caller, array_fill(${now}::timestamptz, array[least(sum(used.requests), ${most}::int)::int]),
      least(sum(used.requests), ${most}::int)
    from unnest(
        ${uses.map((it) => it.apiKeyHash)}::text[], ${uses.map((it) => it.caller)}::text[],
        ${uses.map((it) => it.requests)}::int[]) as used (hash, caller, requests)
      join client_key k on k.hash = decode(used.hash, 'hex')
      join client c on c.id = k.client_id
    where c.mode = 'live'
    group by c.id, used.caller
    order by c.id, used.caller
    on conflict (client_id, caller) do update set
      requested_at = (
        array(select at from unnest(known.requested_at) as at where at > ${since}::timestamptz) || excluded.requested_at
      )[1:${most}::int],
      granted = least(excluded.granted,
        ${most}::int - (select count(*) from unnest(known.requested_at) as at where at > ${since}::timestamptz))
    returning client_id as "clientId", caller, granted, requested_at[1] as "oldestAt"`)
}
