// Fills a database: a million messages with their ledger, and one workspace with 10 000 clients and templates.
import { openBundledPostgres } from '../src/store/database/bundled-postgres.ts'
import { Db } from '../src/store/database/db.ts'
import { sql } from '../src/store/database/sql.ts'

const MESSAGES = 1_000_000
const CLIENTS = 10_000
const TEMPLATES = 10_000

/** Marks the carrier as connected, because a service without connected carriers accepts only a limited number of messages. */
export async function bindCarrier(folder: string): Promise<void> {
  await withDatabase(folder, async (db) => {
    await db.query(sql`
      insert into carrier_bind (carrier_id, number, mode, process_id, leased_until, state, is_working, bound_at, last_working_at)
      select id, 1, 'transceiver', id, now() + interval '1 day', 'bound', true, now(), now() from carrier
      on conflict (carrier_id, number) do update set process_id = excluded.process_id, leased_until = excluded.leased_until,
        state = excluded.state, is_working = excluded.is_working, bound_at = excluded.bound_at`)
  })
}

/** The messages belong to the customers' clients; the first workspace is the large one. */
export async function seedDatabase(folder: string, [large = '']: string[]): Promise<void> {
  await withDatabase(folder, async (db) => {
    await db.transaction(async (tx) => {
      await tx.query(sql`
        create temporary table past on commit drop as
        select uuidv7(interval '-30 days' + n * interval '2 seconds') as id, client.id as client_id, workspace_id,
          '+97798' || lpad((n::bigint * 7919 % 100000000)::text, 8, '0') as to_number,
          now() - interval '30 days' + n * interval '2 seconds' as at,
          md5(workspace_id::text || n / 64)::uuid as reservation_id
        from generate_series(1, ${MESSAGES}::int) as n
          join (select row_number() over (order by id) as place, count(*) over () as all_of_them, id, workspace_id from client)
            as client on client.place = 1 + n % client.all_of_them`)
      await tx.query(sql`
        insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4,
          reservation_id, status, submissions, submitted_at, sent_at, delivered_at, created_at, updated_at)
        select id, workspace_id, client_id, to_number, 'NP', 'Bench', 'Dear Asha, your order 100000 has been shipped.',
          'transactional', 'GSM7', 1, 1, reservation_id, 'delivered', 1, at, at, at, at, at
        from past order by id`)
      await tx.query(sql`
        insert into ledger_entry (workspace_id, id, period, kind, amount_e4, balance_e4, messages, at)
        select workspace_id, reservation_id, date_trunc('month', min(at))::date, 'reservation', count(*), 1, count(*), min(at)
        from past group by workspace_id, reservation_id`)
      await tx.query(sql`
        with seeded as (
          insert into client (id, workspace_id, name, brand_name, mode, default_sender, requests_per_second, webhook_secret_sealed,
            created_at, updated_at)
          select uuidv7(), ${large}, 'Client', 'Bench', 'live', 'Bench', 20, '\\x00', now(), now()
          from generate_series(1, ${CLIENTS}::int)
          returning id
        )
        insert into client_key (id, client_id, slot, hash, prefix, created_at)
        select uuidv7(), id, 1, sha256(id::text::bytea), 'svc_live_000', now() from seeded`)
      await tx.query(sql`
        insert into template (id, workspace_id, name, type, text, status, created_at, reviewed_at)
        select uuidv7(), ${large}, 'Notice', 'transactional',
          'Dear {{name}}, notice number ' || n || ' of {{day}} concerns your account {{account}}.', 'approved', now(), now()
        from generate_series(1, ${TEMPLATES}::int) as n`)
      await tx.query(sql`update workspace set templates_revision = templates_revision + 1 where id = ${large}`)
    })
    await db.query(sql`vacuum analyze`)
  })
}

/** Adds messages to a workspace, almost all delivered. */
export async function seedWorkspace(folder: string, workspaceId: string, messages: number): Promise<void> {
  await withDatabase(folder, async (db) => {
    await db.query(sql`
      insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4,
        status, submissions, submitted_at, sent_at, delivered_at, created_at, updated_at)
      select uuidv7(interval '-30 days' + n * interval '2 seconds'), ${workspaceId}::uuid, client.id,
        '+97798' || lpad((n::bigint * 7919 % 100000000)::text, 8, '0'), 'NP', 'Bench', 'Namaste', 'transactional', 'GSM7', 1, 1,
        'delivered', 1, at, at, at, at, at
      from generate_series(1, ${messages}::int) as n
        cross join lateral (select now() - interval '30 days' + n * interval '2 seconds' as at) as time
        cross join (select id from client where workspace_id = ${workspaceId} limit 1) as client`)
    await db.query(sql`vacuum analyze message`)
  })
}

async function withDatabase(folder: string, work: (db: Db) => Promise<void>): Promise<void> {
  const postgres = await openBundledPostgres(folder)
  const db = new Db(postgres.connection, { connections: 1, answerMs: 600_000 })
  try {
    await work(db)
  } finally {
    await db.close()
    await postgres.release()
  }
}
