// Figures of the service by minute.
import type { ServiceMinute } from '../../domain/service/service-minutes.ts'
import type { Queries } from '../database/db.ts'
import { sql } from '../database/sql.ts'

export async function hasMinute(db: Queries, minute: Date): Promise<boolean> {
  const rows = await db.query(sql`select from service_minute where minute = ${minute}`)
  return rows.length > 0
}

/** Another process may have stored the minute meanwhile; its row stays. */
export async function insertMinute(db: Queries, row: ServiceMinute): Promise<void> {
  const { minute, accepted, sent, rejected, delivered, undelivered, refused, waiting, oldestSeconds } = row
  await db.query(sql`
    insert into service_minute (minute, accepted, sent, rejected, delivered, undelivered, refused, otp_waiting, otp_seconds,
      transactional_waiting, transactional_seconds, promotional_waiting, promotional_seconds)
    values (${minute}, ${accepted}, ${sent}, ${rejected}, ${delivered}, ${undelivered}, ${refused}, ${waiting.otp}, ${oldestSeconds.otp},
      ${waiting.transactional}, ${oldestSeconds.transactional}, ${waiting.promotional}, ${oldestSeconds.promotional})
    on conflict do nothing`)
}

/** Oldest first. Each point has the average of the counts per minute, and the maximum of the queue, over its minutes. */
export function listMinutes(
  db: Queries,
  { since, stepSeconds }: { since: Date; stepSeconds: number },
): Promise<ServiceMinute[]> {
  return db.query<ServiceMinute>(sql`
    select date_bin(make_interval(secs => ${stepSeconds}::int), minute, ${since}) as minute,
      round(avg(accepted), 1)::float as accepted, round(avg(sent), 1)::float as sent, round(avg(rejected), 1)::float as rejected,
      round(avg(delivered), 1)::float as delivered, round(avg(undelivered), 1)::float as undelivered,
      round(avg(refused), 1)::float as refused,
      json_build_object('otp', max(otp_waiting), 'transactional', max(transactional_waiting), 'promotional', max(promotional_waiting)) as waiting,
      json_build_object('otp', max(otp_seconds), 'transactional', max(transactional_seconds), 'promotional', max(promotional_seconds))
        as "oldestSeconds"
    from service_minute where minute >= ${since} group by 1 order by 1`)
}
