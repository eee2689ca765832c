// What a message may cost, stage by stage: row versions, statements, round trips, write-ahead log, promises and timers. Row versions do not depend
// on the machine. The other figures depend on the sizes of batches and on the duration, so their limits have a margin: a statement more per message
// exceeds them, a slower machine does not.
import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { countBy } from '../src/runtime/count-by.ts'
import { Pipeline } from '../src/store/database/pipeline.ts'
import { makeClient, makeWorkspace, type TestClient } from './harness/client.ts'
import { addCarrier, addRoute } from './harness/sending.ts'
import { ownService, systemClock, type TestService } from './harness/service.ts'
import { startSmsc } from './harness/smsc.ts'
import { until } from './harness/until.ts'
import { startEndpoint } from './webhooks/endpoints.ts'
import { urlOf, WEBHOOK_ENV } from './webhooks/webhook-service.ts'

const MESSAGES = 400

type Kind = 'inserted' | 'updated' | 'deleted'

interface Counts {
  tables: Map<string, Record<Kind | 'hot', number>>
  walRecords: number
  walBytes: number
  statements: number
  roundTrips: number
  promises: number
  timers: number
}

/** Of the test itself. */
const ownTexts = new Set<string>()

function query<Row>({ db }: Pick<TestService, 'db'>, text: string): Promise<Row[]> {
  ownTexts.add(text)
  return db.query<Row>({ text, values: [], name: undefined })
}

/** A connection publishes its counts rarely, unless a statement asks for it. */
async function publishCounts(services: TestService[]): Promise<void> {
  const statement = { text: 'select pg_stat_force_next_flush(), pg_sleep(0.05)', values: [], name: 'publish' }
  const pools = services.flatMap(({ ports }) => [ports.db, ports.acceptDb, ports.admissionDb])
  await Promise.all(pools.flatMap((pool) => Array.from({ length: 20 }, () => pool.query(statement))))
}

/** Counts promises and timers of this process, also those of the test's own SMSC and endpoint. */
function countAsync(t: TestContext): () => Pick<Counts, 'promises' | 'timers'> {
  const counts = { promises: 0, timers: 0 }
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'PROMISE') counts.promises += 1
      if (type === 'Timeout') counts.timers += 1
    },
  }).enable()
  t.after(() => hook.disable())
  return () => ({ ...counts })
}

/** Counts the statements and packets of all services in this process. */
function countStatements(t: TestContext) {
  const submits = t.mock.method(Pipeline.prototype, 'submit')
  const adds = t.mock.method(Pipeline.prototype, 'add')
  return {
    /** Without the statements of the test itself, each of which is one round trip. */
    counts: () => {
      const own = adds.mock.calls.filter(({ arguments: [{ text }] }) => ownTexts.has(text)).length
      return { statements: adds.mock.callCount() - own, roundTrips: submits.mock.callCount() - own }
    },
    /** The texts of statements that are planned again at every call. */
    listUnprepared: () =>
      adds.mock.calls.flatMap(({ arguments: [{ name, text }] }) =>
        name === undefined && !ownTexts.has(text) ? [text] : [],
      ),
  }
}

async function readCounts(service: TestService): Promise<Pick<Counts, 'tables' | 'walRecords' | 'walBytes'>> {
  const tables = await query<Record<Kind | 'hot', number> & { name: string }>(
    service,
    `select coalesce(inhparent::regclass::text, relname) as name, sum(n_tup_ins)::int as inserted, sum(n_tup_upd)::int as updated,
       sum(n_tup_hot_upd)::int as hot, sum(n_tup_del)::int as deleted
     from pg_stat_user_tables left join pg_inherits on inhrelid = relid group by 1`,
  )
  const [wal] = await query<{ walRecords: number; walBytes: number }>(
    service,
    `select sum(wal.wal_records)::int as "walRecords", sum(wal.wal_bytes)::float8 as "walBytes"
     from pg_stat_activity cross join lateral pg_stat_get_backend_wal(pid) as wal
     where datname = current_database() and backend_type = 'client backend'`,
  )
  assert(wal)
  return { tables: new Map(tables.map(({ name, ...row }) => [name, row])), ...wal }
}

/** Sends all requests in one tick of the event loop. */
async function sendAtOnce(t: TestContext, service: TestService, client: TestClient): Promise<void> {
  const { hostname, port } = new URL(service.url)
  const sockets = Array.from({ length: MESSAGES }, () => connect(Number(port), hostname))
  t.after(() => sockets.forEach((socket) => void socket.destroy()))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const answers = sockets.map((socket) => once(socket, 'data'))
  for (const [n, socket] of sockets.entries()) {
    const body = JSON.stringify({ to: `98${46_000_000 + n}`, text: 'Your order 4711 is on its way.' })
    socket.write(
      `POST /api/sms/v1/sms/send HTTP/1.1\r\nhost: x\r\nx-api-key: ${client.apiKey}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
  }
  for (const [data] of await Promise.all(answers)) assert.match(String(data), /^HTTP\/1\.1 200 /)
}

/** Row versions per message, of each table that has about one or more. */
function versionsPerMessage({ tables }: Counts): Record<string, string> {
  const perMessage = (count: number) => Math.round((count / MESSAGES) * 10) / 10
  const rows = [...tables].flatMap(([name, { inserted, updated, deleted }]) =>
    inserted + updated + deleted < 0.9 * MESSAGES
      ? []
      : [[name, `${perMessage(inserted)} inserted, ${perMessage(updated)} updated, ${perMessage(deleted)} deleted`]],
  )
  return Object.fromEntries(rows)
}

function assertPerMessage(counts: Counts, most: Omit<Counts, 'tables'>): void {
  for (const name of ['statements', 'roundTrips', 'walRecords', 'walBytes', 'promises', 'timers'] as const) {
    const perMessage = counts[name] / MESSAGES
    assert(perMessage <= most[name], `${name} per message: ${perMessage}, at most ${most[name]}`)
  }
}

test('each stage of a message stays within its limits of row versions, statements, WAL, promises and timers', async (t) => {
  const { counts, listUnprepared } = countStatements(t)
  const asyncCounts = countAsync(t)
  const clock = systemClock()
  const api = await ownService({ env: { HULAKI_ROLES: 'api', ...WEBHOOK_ENV }, clock })
  const smsc = await startSmsc({ plan: () => ({ report: 'DELIVRD' }) })
  await addRoute(api, await addCarrier(api, smsc.port, { window: 200 }))
  const endpoint = await startEndpoint(t, (response) => response.writeHead(204).end())
  const workspaceId = await makeWorkspace(api, { monthlyCredit: 10_000 })
  const client = await makeClient(api, { workspaceId, requestsPerSecond: 1_000, webhookUrl: urlOf(endpoint) })
  const services = [api]

  const measure = async (work: () => Promise<unknown>): Promise<Counts> => {
    await publishCounts(services)
    const before = { ...(await readCounts(api)), ...counts(), ...asyncCounts() }
    await work()
    const during = { ...counts(), ...asyncCounts() }
    await publishCounts(services)
    const after = await readCounts(api)
    const grown = (name: string, kind: Kind | 'hot') =>
      (after.tables.get(name)?.[kind] ?? 0) - (before.tables.get(name)?.[kind] ?? 0)
    const kinds = ['inserted', 'updated', 'hot', 'deleted'] as const
    const tables = Array.from(after.tables.keys(), (name) => {
      const row = Object.fromEntries(kinds.map((kind) => [kind, grown(name, kind)]))
      return [name, row as Record<Kind | 'hot', number>] as const
    })
    return {
      tables: new Map(tables),
      walRecords: after.walRecords - before.walRecords,
      walBytes: after.walBytes - before.walBytes,
      statements: during.statements - before.statements,
      roundTrips: during.roundTrips - before.roundTrips,
      promises: during.promises - before.promises,
      timers: during.timers - before.timers,
    }
  }
  /** Adds a process with these roles, which finds its work at its start. */
  const startRoles = async (roles: string) => {
    services.push(await ownService({ env: { HULAKI_ROLES: roles, ...WEBHOOK_ENV }, beside: { ...api, clock } }))
  }
  const isReached = async (text: string) => (await query<{ isReached: boolean }>(api, text))[0]?.isReached === true

  // Not the other figures: how many requests share a batch depends on the speed of the machine.
  const listedBefore = listUnprepared()
  const accepted = await measure(() => sendAtOnce(t, api, client))
  assert.deepEqual(versionsPerMessage(accepted), { message: '1 inserted, 0 updated, 0 deleted' })

  const delivered = await measure(async () => {
    await startRoles('delivery')
    await until(() => isReached(`select count(*) = ${MESSAGES} as "isReached" from message where status = 'delivered'`))
  })
  assert.deepEqual(versionsPerMessage(delivered), {
    message: '0 inserted, 2 updated, 0 deleted',
    submission: '1 inserted, 0 updated, 0 deleted',
    webhook_event: '2 inserted, 0 updated, 0 deleted',
    webhook_queue: '2 inserted, 0 updated, 0 deleted',
  })
  assert.equal(delivered.tables.get('report')?.inserted, 0)
  // 0 if an updated column is indexed. The pages have room for one update of each row; for the second, earlier versions must have been removed, which
  // depends on time.
  const message = delivered.tables.get('message')
  assert(message && message.hot >= 0.4 * message.updated, `${message?.hot} updates wrote no index entry`)
  assertPerMessage(delivered, {
    ...{ statements: 1.5, roundTrips: 1.2, walRecords: 30, walBytes: 3_700 },
    // About 12 promises of a message are the service's own; the others are of the SMSC and of the loops that wait.
    ...{ promises: 50, timers: 4 },
  })

  const posted = await measure(async () => {
    await startRoles('webhooks')
    await until(() => isReached(`select count(*) = ${2 * MESSAGES} as "isReached" from webhook_attempt`))
  })
  assert.deepEqual(versionsPerMessage(posted), {
    webhook_attempt: '2 inserted, 0 updated, 0 deleted',
    webhook_event: '0 inserted, 2 updated, 0 deleted',
    webhook_queue: '0 inserted, 0 updated, 2 deleted',
  })
  assertPerMessage(posted, {
    ...{ statements: 1.5, roundTrips: 1, walRecords: 14, walBytes: 1_250 },
    // Most are undici's and the endpoint's.
    ...{ promises: 55, timers: 11 },
  })
  // At the start of a role and from time to time, not per batch.
  const often = [...countBy(listUnprepared().slice(listedBefore.length), (text) => text)].filter(
    ([, count]) => count > MESSAGES / 10,
  )
  assert.deepEqual(often, [])
})
