// Onboarding progress of a workspace. A completed step is stored, because the rows that prove it are deleted later.
import type { Queries } from '../database/db.ts'
import { sql } from '../database/sql.ts'

/** null: step not completed. */
export interface OnboardingProgress {
  keyUsedAt: Date | null
  messageAt: Date | null
  codeVerifiedAt: Date | null
  webhookAt: Date | null
}

const NO_PROGRESS: OnboardingProgress = { keyUsedAt: null, messageAt: null, codeVerifiedAt: null, webhookAt: null }

export async function findProgress(db: Queries, workspaceId: string): Promise<OnboardingProgress> {
  const [row] = await db.query<OnboardingProgress>(sql`
    select key_used_at as "keyUsedAt", message_sent_at as "messageAt", code_verified_at as "codeVerifiedAt", webhook_delivered_at as "webhookAt"
    from onboarding where workspace_id = ${workspaceId}`)
  return row ?? NO_PROGRESS
}

/** Bounds on the rows read: first webhook events per client, and verified numbers. */
const MAX_EVENTS = 100
const MAX_NUMBERS = 100

/** Detects completed steps from messages, codes and webhook deliveries with a few index steps each. */
export async function detectProgress(db: Queries, workspaceId: string): Promise<OnboardingProgress> {
  const [row] = await db.query<OnboardingProgress>(sql`
    with own as (select id from client where workspace_id = ${workspaceId})
    select
      (select min(refilled_at) from request_bucket join own on own.id = request_bucket.client_id) as "keyUsedAt",
      (select created_at from message where workspace_id = ${workspaceId} order by id limit 1) as "messageAt",
      least(
        (select min(verified_at) from (
          select verified_at from verified_number where workspace_id = ${workspaceId} limit ${MAX_NUMBERS}
        ) as verified),
        (select min(code.used_at) from own cross join lateral (
          select used_at from otp_code where client_id = own.id and used_at is not null limit ${MAX_NUMBERS}
        ) as code)
      ) as "codeVerifiedAt",
      (select min(event.ended_at) from own cross join lateral (
        select ended_at from (
          select state, ended_at from webhook_event where client_id = own.id order by delivery_id limit ${MAX_EVENTS}
        ) as first where state = 'delivered' limit 1
      ) as event) as "webhookAt"`)
  return row ?? NO_PROGRESS
}

/** Keeps the stored time of a step that is already completed. */
export async function storeProgress(db: Queries, workspaceId: string, it: OnboardingProgress): Promise<void> {
  await db.query(sql`
    insert into onboarding as known (workspace_id, key_used_at, message_sent_at, code_verified_at, webhook_delivered_at)
    values (${workspaceId}, ${it.keyUsedAt}, ${it.messageAt}, ${it.codeVerifiedAt}, ${it.webhookAt})
    on conflict (workspace_id) do update set
      key_used_at = coalesce(known.key_used_at, excluded.key_used_at),
      message_sent_at = coalesce(known.message_sent_at, excluded.message_sent_at),
      code_verified_at = coalesce(known.code_verified_at, excluded.code_verified_at),
      webhook_delivered_at = coalesce(known.webhook_delivered_at, excluded.webhook_delivered_at)`)
}
