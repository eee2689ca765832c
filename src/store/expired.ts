// What has had its time: deleted in bounded steps, so that no sweep holds up the traffic.
import { IDEMPOTENCY_SECONDS } from '../domain/idempotency.ts'
import { OTP_LIMITS } from '../domain/limits.ts'
import type { Queries } from './db.ts'
import { type Fragment, part, sql } from './sql.ts'

const AT_ONCE = 5_000
const DAY_SECONDS = 86_400

/** Returns how many rows went. */
export async function deleteExpired(db: Queries, now: Date): Promise<number> {
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  const over: [table: Fragment, isOver: Fragment][] = [
    // §2.2: a code is deleted after it expired, a locked one later (§3.2); D21: no sealed text outlives its code's 300 s.
    [part`otp_code`, part`expires_at <= ${now}`],
    [part`sealed_text`, part`expires_at <= ${now}`],
    // The longest window is an hour.
    [part`window_hit`, part`at <= ${ago(3600)}`],
    [part`otp_caller`, part`asked_at[cardinality(asked_at)] <= ${ago(OTP_LIMITS.caller.seconds)}`],
    [part`idempotent_answer`, part`answered_at <= ${ago(IDEMPOTENCY_SECONDS)}`],
    // D33: sends are remembered 30 days, sums as long as a week's mean needs, verified numbers 90 days, strikes a day.
    [part`otp_send_stat`, part`sent_at <= ${ago(30 * DAY_SECONDS)}`],
    [part`otp_hour`, part`hour <= ${ago(8 * DAY_SECONDS)}`],
    [part`verified_number`, part`verified_at <= ${ago(90 * DAY_SECONDS)}`],
    [part`pumping_hold`, part`struck_at <= ${ago(DAY_SECONDS)}`],
  ]
  let rows = 0
  for (const [table, isOver] of over) {
    // What somebody uses just now is left for the next sweep: nobody waits for this one, and none waits in a circle. Asked twice: a
    // row that was used anew in between is not over any more.
    const gone = await db.query(sql`
      delete from ${table}
      where ctid = any(array(select ctid from ${table} where ${isOver} limit ${AT_ONCE} for update skip locked)) and ${isOver} returning 1`)
    rows += gone.length
  }
  return rows
}

/** When the next code or sealed text expires: those must go on time. */
export async function nextExpiry(db: Queries): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(sql`
    select least((select min(expires_at) from otp_code), (select min(expires_at) from sealed_text)) as at`)
  return row?.at ?? null
}
