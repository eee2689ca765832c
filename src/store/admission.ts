// The look-up of API keys and the request rate behind them (D26): read afresh for every batch, so nothing outlives its change.
import type { SendingClient } from '../domain/acceptance.ts'
import type { PumpingGuardMode } from './clients.ts'
import type { Queries } from './db.ts'
import { sql } from './sql.ts'
import type { WorkspaceStatus } from './workspaces.ts'

export interface KnownClient extends SendingClient {
  apiKeyHash: Buffer
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

export function findClientsByKey(db: Queries, hashes: Buffer[]): Promise<KnownClient[]> {
  return db.query<KnownClient>(sql`
    select c.id, c.workspace_id as "workspaceId", c.api_key_hash as "apiKeyHash", c.mode, c.brand_name as "brandName",
      c.default_sender as "defaultSender", c.disabled_at as "disabledAt", c.requests_per_second as "requestsPerSecond",
      c.test_otp_code_sealed as "testOtpCodeSealed", c.only_types as "onlyTypes", c.only_networks as "onlyNetworks",
      c.only_prefixes as "onlyPrefixes", c.daily_cap as "dailyCap", c.hourly_cap_per_number as "hourlyCapPerNumber",
      c.pumping_guard as "pumpingGuard", w.status as "workspaceStatus", w.country, w.time_zone as "timeZone"
    from client c join workspace w on w.id = c.workspace_id
    where c.api_key_hash = any(${hashes}::bytea[])`)
}

export interface KeyUse {
  apiKeyHash: Buffer
  requests: number
}

export interface BucketGrant {
  clientId: string
  granted: number
  /** What is left in the bucket after the grant. */
  tokens: number
}

/**
 * A token bucket per client whose burst is its rate. The row that is proposed is that of a full bucket; where one is
 * there already, it is filled for the time that passed, at most to the brim, and gives what it can. Nothing is taken from a
 * client that is disabled, nor from one that may only be called from some networks until the address is judged (D6).
 */
export function takeTokens(
  db: Queries,
  { uses, judged, now }: { uses: KeyUse[]; judged: boolean; now: Date },
): Promise<BucketGrant[]> {
  return db.query<BucketGrant>(sql`
    insert into request_bucket as bucket (client_id, tokens, refilled_at, granted)
    select id, requests_per_second - least(requests, requests_per_second), ${now}::timestamptz,
      least(requests, requests_per_second)
    from unnest(${uses.map((it) => it.apiKeyHash)}::bytea[], ${uses.map((it) => it.requests)}::int[])
        as asked (api_key_hash, requests)
      join client using (api_key_hash)
    where disabled_at is null and (only_networks is null or ${judged}::boolean)
    order by id
    on conflict (client_id) do update set (tokens, granted, refilled_at) = (
      select filled.tokens - least(excluded.granted, floor(filled.tokens)), least(excluded.granted, floor(filled.tokens)),
        greatest(bucket.refilled_at, excluded.refilled_at)
      from (
        select least(
          excluded.tokens + excluded.granted,
          bucket.tokens + (excluded.tokens + excluded.granted)
            * greatest(0, extract(epoch from excluded.refilled_at - bucket.refilled_at)::double precision)) as tokens
      ) as filled)
    returning client_id as "clientId", granted, tokens`)
}
