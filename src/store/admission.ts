// The look-up of API keys and the request rate behind them (D26): read afresh for every batch, so nothing outlives its change.
import type { SendingClient } from '../domain/acceptance.ts'
import type { Queries } from './db.ts'
import { sql } from './sql.ts'
import type { WorkspaceStatus } from './workspaces.ts'

export interface KnownClient extends SendingClient {
  brandName: string
  disabledAt: Date | null
  requestsPerSecond: number
  testOtpCodeSealed: Buffer | null
  onlyNetworks: string[] | null
  pumpingAllowlist: string[] | null
  workspaceStatus: WorkspaceStatus
  country: string
  timeZone: string
}

export interface KeyUse {
  apiKeyHash: string
  requests: number
}

export interface Visit extends KnownClient {
  apiKeyHash: string
  /** So many of the requests found a token; null where none was asked for. */
  granted: number | null
  /** What is left in the bucket after them. */
  tokens: number | null
}

/**
 * Whose keys these are, and a token for each request, from a bucket per client whose burst is its rate. The row that is proposed
 * is that of a full bucket; where one is there already, it is filled for the time that passed, at most to the brim, and gives what
 * it can. Nothing is taken from a client that is disabled, nor from one that may only be called from some networks until the
 * address is judged (D6).
 */
export function visit(
  door: Queries,
  { uses, judged, now }: { uses: KeyUse[]; judged: boolean; now: Date },
): Promise<Visit[]> {
  return door.query(sql`
    with known as materialized (
      select used.requests, encode(c.api_key_hash, 'hex') as "apiKeyHash", c.id, c.workspace_id as "workspaceId", c.mode,
        c.brand_name as "brandName", c.default_sender as "defaultSender", c.disabled_at as "disabledAt",
        c.requests_per_second as "requestsPerSecond", c.test_otp_code_sealed as "testOtpCodeSealed",
        c.only_types as "onlyTypes", c.only_networks as "onlyNetworks", c.only_prefixes as "onlyPrefixes",
        c.daily_cap as "dailyCap", c.hourly_cap_per_number as "hourlyCapPerNumber", c.pumping_guard as "pumpingGuard",
        c.pumping_allowlist as "pumpingAllowlist", c.hourly_cap_since as "hourlyCapSince",
        w.status as "workspaceStatus", w.country, w.time_zone as "timeZone"
      from unnest(${uses.map((it) => it.apiKeyHash)}::text[], ${uses.map((it) => it.requests)}::int[]) as used (hash, requests)
        join client c on c.api_key_hash = decode(used.hash, 'hex')
        join workspace w on w.id = c.workspace_id
    ), taken as (
      insert into request_bucket as bucket (client_id, tokens, refilled_at, granted)
      select id, "requestsPerSecond" - least(requests, "requestsPerSecond"), ${now}::timestamptz,
        least(requests, "requestsPerSecond")
      from known where "disabledAt" is null and ("onlyNetworks" is null or ${judged}::boolean)
      order by id
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
    select known.*, taken.granted, taken.tokens from known left join taken on taken.client_id = known.id`)
}
