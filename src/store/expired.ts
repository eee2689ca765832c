// What has had its time: deleted in bounded steps, so that no sweep holds up the traffic.
import { IDEMPOTENCY_SECONDS } from '../domain/idempotency.ts'
import type { Queries } from './db.ts'
import { sql } from './sql.ts'

const AT_ONCE = 5_000
const DAY_SECONDS = 86_400

/** Returns how many rows went. */
export async function deleteExpired(db: Queries, now: Date): Promise<number> {
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  const counts = [
    // §2.2: a code is deleted after it expired; D21: its sealed text does not outlive it.
    await deleted(
      db,
      sql`
      delete from otp_code where ctid = any(array(select ctid from otp_code where expires_at <= ${now} limit ${AT_ONCE})) returning 1`,
    ),
    await deleted(
      db,
      sql`
      delete from sealed_text where ctid = any(array(select ctid from sealed_text where expires_at <= ${now} limit ${AT_ONCE})) returning 1`,
    ),
    // The longest window is an hour.
    await deleted(
      db,
      sql`
      delete from window_hit where ctid = any(array(select ctid from window_hit where at <= ${ago(3600)} limit ${AT_ONCE})) returning 1`,
    ),
    await deleted(
      db,
      sql`
      delete from idempotent_answer where ctid = any(
        array(select ctid from idempotent_answer where answered_at <= ${ago(IDEMPOTENCY_SECONDS)} limit ${AT_ONCE})) returning 1`,
    ),
    // D33: sends are remembered 30 days, sums as long as a week's mean needs, verified numbers 90 days, strikes a day.
    await deleted(
      db,
      sql`
      delete from otp_send_stat where ctid = any(
        array(select ctid from otp_send_stat where sent_at <= ${ago(30 * DAY_SECONDS)} limit ${AT_ONCE})) returning 1`,
    ),
    await deleted(
      db,
      sql`
      delete from otp_hour where ctid = any(
        array(select ctid from otp_hour where hour <= ${ago(8 * DAY_SECONDS)} limit ${AT_ONCE})) returning 1`,
    ),
    await deleted(
      db,
      sql`
      delete from verified_number where ctid = any(
        array(select ctid from verified_number where verified_at <= ${ago(90 * DAY_SECONDS)} limit ${AT_ONCE})) returning 1`,
    ),
    await deleted(
      db,
      sql`
      delete from pumping_hold where ctid = any(
        array(select ctid from pumping_hold where struck_at <= ${ago(DAY_SECONDS)} limit ${AT_ONCE})) returning 1`,
    ),
  ]
  return counts.reduce((sum, count) => sum + count, 0)
}

/** When the next code or sealed text expires: those must go on time. */
export async function nextExpiry(db: Queries): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(sql`
    select least((select min(expires_at) from otp_code), (select min(expires_at) from sealed_text)) as at`)
  return row?.at ?? null
}

async function deleted(db: Queries, statement: ReturnType<typeof sql>): Promise<number> {
  return (await db.query(statement)).length
}
