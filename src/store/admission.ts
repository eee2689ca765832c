// The look-up of API keys and the request rate behind them (D26): read afresh for every batch, so nothing outlives its change.
import type { SendingClient } from '../domain/acceptance.ts'
import type { PumpingGuardMode } from './clients.ts'
import type { Queries } from './db.ts'
import { sql } from './sql.ts'
import type { WorkspaceStatus } from './workspaces.ts'

export interface KnownClient extends SendingClient {
  brandName: string
  disabledAt: Date | null
  requestsPerSecond: number
  testOtpCodeSealed: Buffer | null
  onlyNetworks: string[] | null
  pumpingGuard: PumpingGuardMode
  workspaceStatus: WorkspaceStatus
  country: string
  timeZone: string
}

export interface KeyUse {
  apiKeyHash: string
  requests: number
}

export interface KnownKey extends KnownClient {
  /** The place of its use among those asked about, from 1. */
  place: number
  /** How many of the requests have a token; null where none was asked for. */
  granted: number | null
  /** What is left in the bucket after the grant. */
  tokens: number | null
}

/**
 * Whose keys these are, and a token for each request from its client's bucket, whose burst is its rate. The row that is
 * proposed is that of a full bucket; where one is there already, it is filled for the time that passed, at most to the brim,
 * and gives what it can. Nothing is taken from a client that is disabled, nor from one that may only be called from some
 * networks until the address is judged (D6).
 */
export function useKeys(
  db: Queries,
  { uses, judged, now }: { uses: KeyUse[]; judged: boolean; now: Date },
): Promise<KnownKey[]> {
  return db.query<KnownKey>(sql`
    with used as materialized (
      select client.*, used.place, least(used.requests, requests_per_second) as wanted
      from unnest(${uses.map((it) => it.apiKeyHash)}::text[], ${uses.map((it) => it.requests)}::int[])
          with ordinality as used (hash, requests, place)
        join client on api_key_hash = decode(used.hash, 'hex')
    ), taken as (
      insert into request_bucket as bucket (client_id, tokens, refilled_at, granted)
      select id, requests_per_second - wanted, ${now}::timestamptz, wanted from used
      where disabled_at is null and (only_networks is null or ${judged}::boolean)
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
    select place::int, granted, tokens, c.id, c.workspace_id as "workspaceId", c.mode, c.brand_name as "brandName",
      c.default_sender as "defaultSender", c.disabled_at as "disabledAt", c.requests_per_second as "requestsPerSecond",
      c.test_otp_code_sealed as "testOtpCodeSealed", c.only_types as "onlyTypes", c.only_networks as "onlyNetworks",
      c.only_prefixes as "onlyPrefixes", c.daily_cap as "dailyCap", c.hourly_cap_per_number as "hourlyCapPerNumber",
      c.pumping_guard as "pumpingGuard", w.status as "workspaceStatus", w.country, w.time_zone as "timeZone"
    from used c join workspace w on w.id = c.workspace_id left join taken on taken.client_id = c.id`)
}
