// An installation for a benchmark: PostgreSQL, service processes with customers, SMSCs and a webhook endpoint.
import type { ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { scratchFolder } from '../scripts/scratch-folder.ts'
import { preparePartitions } from '../src/actions/service/keep-partitions.ts'
import { loadKeyring } from '../src/boot/first-start.ts'
import type { Keyring } from '../src/runtime/keyring.ts'
import { systemRandom } from '../src/runtime/random.ts'
import { type BundledPostgres, openBundledPostgres } from '../src/store/database/bundled-postgres.ts'
import { Db } from '../src/store/database/db.ts'
import { migrate } from '../src/store/database/migrate.ts'
import { sql } from '../src/store/database/sql.ts'
import { measureWebhookQueue } from '../src/store/webhooks/webhook-queue.ts'
import { startMeter } from './cpu.ts'
import { addCarrier, type CustomerOptions, type Customers, makeCustomers, OPERATOR_TOKEN } from './customers.ts'
import { nextMessage, Server, startChild } from './processes.ts'
import type { SinkReport } from './sink-smsc.ts'

const WAIT_MS = 600_000

export interface Smsc {
  child: ChildProcess
  port: number
}

interface InstallationOptions {
  /** The roles of each service process. */
  services: string[]
  smscs?: number
  /** How many receipts an SMSC sends before it waits for responses. */
  deliverWindow?: number
  customers?: CustomerOptions
  /** The services believe X-Forwarded-For of this machine. */
  trustsProxy?: boolean
  /** Tables have a partition per month from then on; by default from this month on. */
  partitionsFrom?: Date
}

interface Parts {
  folder: string
  postgres: BundledPostgres
  db: Db
  postgresVersion: string
  keyring: Keyring
  services: Server[]
  port: number
  customers: Customers
  smscs: Smsc[]
}

const NO_CUSTOMERS: Customers = { workspaceIds: [], apiKeys: [] }

/** Opens an installation in a new folder, and removes it after the work. */
export async function withInstallation<Result>(
  {
    services: roles,
    smscs: smscCount = 0,
    deliverWindow,
    customers: options = {},
    trustsProxy,
    partitionsFrom = new Date(),
  }: InstallationOptions,
  work: (installation: Installation) => Promise<Result>,
): Promise<Result> {
  await using stack = new AsyncDisposableStack()
  const folder = scratchFolder('hulaki-bench')
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const postgres = await openBundledPostgres(folder)
  stack.defer(() => postgres.release())
  const db = new Db(postgres.connection, { connections: 2, answerMs: 600_000 })
  stack.defer(() => db.close())
  await migrate(db, partitionsFrom)
  await preparePartitions(db, new Date())
  // Results must not depend on the time of day.
  await db.query(sql`update country set quiet_from = null, quiet_to = null`)
  const [{ postgresVersion = '' } = {}] = await db.query<{ postgresVersion: string }>(sql`
    select current_setting('server_version') as "postgresVersion"`)
  const keyring = loadKeyring(join(folder, 'keyring.json'), systemRandom).keyring
  const smscs: Smsc[] = []
  while (smscs.length < smscCount) smscs.push(await startSmsc(stack, deliverWindow))
  const webhookUrl = roles.some((it) => it.includes('webhooks')) ? await startReceiver(stack) : undefined
  const proxies = trustsProxy ? '127.0.0.1' : ''
  const env = { BENCH_FOLDER: folder, BENCH_OPERATOR_TOKEN: OPERATOR_TOKEN, BENCH_TRUSTED_PROXIES: proxies }
  const services = roles.map((it) => new Server('hulaki.ts', { ...env, BENCH_ROLES: it }))
  stack.defer(async () => {
    await Promise.all(services.map((service) => service.stop()))
  })
  const ports = await Promise.all(services.map((service) => service.port))
  const port = ports[roles.findIndex((it) => it.includes('api'))] ?? 0
  const customers =
    services.length === 0 ? NO_CUSTOMERS : await makeCustomers(port, { ...options, ...(webhookUrl && { webhookUrl }) })
  return await work(
    new Installation({ folder, postgres, db, postgresVersion, keyring, services, port, customers, smscs }),
  )
}

export async function startSmsc(stack: AsyncDisposableStack, deliverWindow = 500): Promise<Smsc> {
  const child = startChild('sink-smsc.ts', { BENCH_DELIVER_WINDOW: String(deliverWindow) })
  stack.defer(() => child.disconnect())
  return { child, port: (await nextMessage<{ port: number }>(child)).port }
}

async function startReceiver(stack: AsyncDisposableStack): Promise<string> {
  const child = startChild('postings-receivers.ts', { BENCH_RECEIVERS: '1' })
  stack.defer(() => void child.kill())
  const { ports } = await nextMessage<{ ports: number[] }>(child)
  return `https://localhost:${ports[0]}/hook`
}

export class Installation {
  readonly folder: string
  readonly postgres: BundledPostgres
  readonly db: Db
  readonly postgresVersion: string
  readonly keyring: Keyring
  /** The port of the API. */
  readonly port: number
  readonly customers: Customers
  readonly smscs: Smsc[]
  readonly #services: Server[]

  constructor(parts: Parts) {
    this.folder = parts.folder
    this.postgres = parts.postgres
    this.db = parts.db
    this.postgresVersion = parts.postgresVersion
    this.keyring = parts.keyring
    this.port = parts.port
    this.customers = parts.customers
    this.smscs = parts.smscs
    this.#services = parts.services
  }

  /** Measures the services and their PostgreSQL. */
  startMeter() {
    return startMeter(
      this.#services.map(({ pid }) => pid),
      this,
    )
  }

  /** Adds one carrier per SMSC, with equal shares of the messages. */
  async connectSmscs(settings: Record<string, unknown> = {}): Promise<void> {
    for (const { port } of this.smscs) await addCarrier(this.port, port, { binds: 2, window: 250, ...settings })
  }

  askSmsc(): Promise<SinkReport> {
    const [smsc] = this.smscs
    if (!smsc) throw new Error('there is no SMSC')
    smsc.child.send('report')
    return nextMessage<SinkReport>(smsc.child)
  }

  /** Inserts accepted messages of all clients, so that only delivery is measured. */
  async fill(count: number, { priority }: { priority: number }): Promise<void> {
    const now = new Date()
    const type = priority === 2 ? 'promotional' : 'transactional'
    for (let done = 0; done < count; done += 10_000) {
      const last = Math.min(done + 10_000, count) - 1
      await this.db.query(sql`
        with owner as (
          select id, workspace_id, row_number() over (order by id) - 1 as place, count(*) over () as owners from client
        ), numbered as materialized (
          -- Twenty messages of a client in a row, as accepted under load.
          select uuidv7() as id, n, n / 20 as batch from generate_series(${done}::int, ${last}::int) as n
        ), made as materialized (
          select numbered.id, n, batch, workspace_id, owner.id as client_id
          from numbered join owner on owner.place = batch % owners
        ), stored as (
          insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments,
            cost_e4, status, created_at, updated_at)
          select id, workspace_id, client_id, '+97798' || lpad((n % 100000000)::text, 8, '0'), 'NP', 'Bench',
            'Hello from the bench, this is an ordinary text of one segment.', ${type}, 'GSM7', 1, 0, 'queued',
            ${now}::timestamptz, ${now}::timestamptz
          from made
        )
        insert into delivery_queue (first_message_id, message_ids, destination, avoid_carrier_id, priority, workspace_id, client_id, due_at)
        select (array_agg(id order by id))[1], array_agg(id order by id), 'NP', '00000000-0000-0000-0000-000000000000', ${priority},
          workspace_id, client_id, ${now}::timestamptz
        from made group by batch, workspace_id, client_id`)
    }
    await this.db.query(sql`analyze message`)
  }

  /** Waits until so many messages are reported as delivered, and returns how many are. A failed message is an error. */
  async untilReported(count: number): Promise<number> {
    for (const limit = AbortSignal.timeout(WAIT_MS); ; limit.throwIfAborted()) {
      await sleep(100)
      const [{ delivered = 0, failed = 0 } = {}] = await this.db.query<{ delivered: number; failed: number }>(sql`
        select coalesce(sum(delivered), 0)::bigint as delivered, coalesce(sum(failed), 0)::bigint as failed from client_counter`)
      if (failed > 0) throw new Error(`${failed} messages failed`)
      if (delivered >= count) return delivered
    }
  }

  /** Waits until no webhook is left. A failed attempt is an error. */
  async untilWebhooksPosted(): Promise<void> {
    for (const limit = AbortSignal.timeout(WAIT_MS); ; limit.throwIfAborted()) {
      if ((await measureWebhookQueue(this.db, new Date())).waiting === 0) break
      await sleep(100)
    }
    const [{ failed = 0 } = {}] = await this.db.query<{ failed: number }>(sql`
      select count(*) as failed from webhook_attempt where status_code is distinct from 204`)
    if (failed > 0) throw new Error(`${failed} attempts of webhooks failed`)
  }
}
