// The bundled PostgreSQL of the service, as the loop sees it: its postmaster, its backends, and commits that are held before PostgreSQL
// confirms them. A connection of the loop does not keep the server running and does not restart it.
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { DATABASE, ROLE } from '../../src/store/database/bundled-postgres/cluster.ts'
import { findPostmaster } from '../../src/store/database/bundled-postgres/postmaster.ts'
import { until } from '../harness/until.ts'
import { COMMIT_POINTS, type CommitPoint, keysOf } from './schedule.ts'

const LOOK_MS = 5

export class Database {
  readonly #home: string

  constructor(dataFolder: string) {
    this.#home = join(dataFolder, 'postgres')
  }

  async postmasterPid(): Promise<number> {
    return (await until(() => findPostmaster(this.#home))).pid
  }

  async stop(): Promise<void> {
    const server = await findPostmaster(this.#home)
    if (server !== undefined) process.kill(server.pid, 'SIGINT')
  }

  /** Repeats the work if the server stops meanwhile. */
  async withClient<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
    for (;;) {
      const client = await this.#connect()
      try {
        return await work(client)
      } catch (error) {
        if (await isUsable(client)) throw error
      } finally {
        await client.end().catch(() => {})
      }
    }
  }

  /**
   * A commit with `synchronous_commit = on` waits for a standby that does not exist, after it is on disk. All commits use `local`, which
   * is as durable without a standby, except those of an armed point: a trigger changes the setting for their transaction.
   */
  async installCommitPoints(): Promise<void> {
    const settings = `synchronous_commit = 'local'\nsynchronous_standby_names = 'crash_loop'\n`
    appendFileSync(join(this.#home, 'cluster', 'postgresql.auto.conf'), settings)
    process.kill(await this.postmasterPid(), 'SIGHUP')
    await this.withClient(async (client) => {
      await client.query(`
        create schema crash;
        create table crash.armed (point text primary key);
        create function crash.hold() returns trigger language plpgsql as $$
        begin
          if exists (select from crash.armed where point = tg_argv[0]) then
            perform set_config('synchronous_commit', 'on', true);
          end if;
          return null;
        end $$`)
      for (const [index, point] of keysOf(COMMIT_POINTS).entries()) {
        const [event, condition] = COMMIT_POINTS[point].split(' for each row')
        await client.query(
          `create trigger crash_point_${index} ${event} for each row${condition} execute function crash.hold('${point}')`,
        )
      }
    })
  }

  /** The backend whose commit waits at the point; null after the time limit. */
  async holdCommit(point: CommitPoint, limitMs: number): Promise<number | null> {
    return this.withClient(async (client) => {
      await client.query('insert into crash.armed values ($1) on conflict do nothing', [point])
      const end = performance.now() + limitMs
      while (performance.now() < end) {
        const pid = await findHeld(client)
        if (pid !== null) return pid
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
      return null
    })
  }

  /**
   * Confirms held commits, after a restart of the server too. A transaction that began before the point was disarmed may be held later:
   * all of them are awaited.
   */
  async releaseCommits(): Promise<void> {
    await this.withClient(async (client) => {
      await client.query('delete from crash.armed')
      const { rows } = await client.query<{ at: string }>('select clock_timestamp()::text as at')
      while (await this.#cancelHeld(client, rows[0]?.at)) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    })
  }

  /** Returns whether a transaction that began before `at` is still open. */
  async #cancelHeld(client: pg.Client, at: string | undefined): Promise<boolean> {
    const { rows } = await client.query({
      text: `
        select case when wait_event = 'SyncRep' then pg_cancel_backend(pid) end from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid() and xact_start <= $1`,
      values: [at],
    })
    return rows.length > 0
  }

  async backendPids(): Promise<number[]> {
    return this.withClient(async (client) => {
      const { rows } = await client.query<{ pid: number }>(`
        select pid from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid() order by pid`)
      return rows.map(({ pid }) => pid)
    })
  }

  /** The server may be down for a moment. */
  async #connect(): Promise<pg.Client> {
    return until(async () => {
      const server = await findPostmaster(this.#home)
      if (server?.address === undefined) return null
      const password = readFileSync(join(this.#home, 'password'), 'utf8').trim()
      const client = new pg.Client({ ...server.address, user: ROLE, password, database: DATABASE })
      client.on('error', () => {})
      return client.connect().then(
        () => client,
        () => null,
      )
    })
  }
}

async function isUsable(client: pg.Client): Promise<boolean> {
  return client.query('select 1').then(
    () => true,
    () => false,
  )
}

async function findHeld(client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ pid: number }>(`
    select pid from pg_stat_activity where wait_event = 'SyncRep' order by xact_start limit 1`)
  return rows[0]?.pid ?? null
}
