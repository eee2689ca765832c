// Every statement of every pipeline fails once: connection closed before it, response lost, or one of three error codes. The process
// survives, and nothing is lost or done twice.
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { ManualClock } from '../src/runtime/clock.ts'
import { newKeyringText } from '../src/runtime/keyring.ts'
import { systemRandom } from '../src/runtime/random.ts'
import { encodeText } from '../src/smpp/alphabets.ts'
import { makeClient, makeWorkspace } from './harness/client.ts'
import { testDatabaseAddress } from './harness/database.ts'
import { ALLOWED, addHttpCarrier, answer, describe, startProvider } from './harness/http-carrier.ts'
import { addCarrier, addRoute } from './harness/sending.ts'
import { query } from './harness/server.ts'
import { type Answer, ownService, START } from './harness/service.ts'
import { startSmsc, type Taken } from './harness/smsc.ts'
import { type StatementFault, startStatementFaults } from './harness/statement-faults.ts'
import { until } from './harness/until.ts'
import { startEndpoint } from './webhooks/endpoints.ts'
import { urlOf, WEBHOOK_ENV } from './webhooks/webhook-service.ts'

const unhandled: unknown[] = []
const keep = (error: unknown) => unhandled.push(error)
process.on('unhandledRejection', keep)
after(() => process.off('unhandledRejection', keep))

const address = await testDatabaseAddress()
const faults = await startStatementFaults(address)
const service = await ownService({
  env: {
    ...ALLOWED,
    ...WEBHOOK_ENV,
    HULAKI_ROLES: 'api,delivery,webhooks',
    HULAKI_PUBLIC_URL: 'http://127.0.0.1:9',
  },
  beside: { address: faults.address, keyringText: newKeyringText(systemRandom), clock: new ManualClock(START) },
})
const endpoint = await startEndpoint({ after } as TestContext, (response) => response.writeHead(204).end())
const workspaceId = await makeWorkspace(service, { monthlyCredit: 1_000_000 })
const client = await makeClient(service, { workspaceId, brandName: 'Brand', webhookUrl: urlOf(endpoint) })

const smsc = await startSmsc({ plan: () => ({}) })
await addRoute(service, await addCarrier(service, smsc.port), { prefixes: ['+977984'] })
const provider = await startProvider()
after(() => provider.close())
provider.does((got, response) =>
  got.method === 'GET'
    ? answer(response, 200, { status: 'DELIVRD' })
    : answer(response, 200, { id: `id-${got.json.ref}` }),
)
const overHttp = async (name: string, receipts: Record<string, unknown>, prefix: string) => {
  const http = { ...describe(provider.url), receipts }
  const id = await addHttpCarrier(service, provider.url, { name, http })
  await addRoute(service, id, { prefixes: [prefix] })
  return id
}
const polling = { kind: 'poll', url: `${provider.url}/messages/{id}`, reading: { state: '/status' }, perSecond: 100 }
await overHttp('Polled', { ...polling, longestWaitSeconds: 86_400 }, '+977985')
const calling = await overHttp('Calling', { kind: 'callback', reading: { id: '/id', state: '/state' } }, '+977986')
const { callbackUrl } = (await service.manage('POST', `/carriers/${calling}/callback`, { renew: false })).body
await until(async () => {
  await service.settle()
  const { items } = (await service.manage('GET', '/carriers')).body
  return items.length === 3 && items.every((it: { health: { state: string } }) => it.health.state === 'working')
})

const LONG = 'x'.repeat(200)
let rounds = 0
const nextNumber = (prefix: string) => `${prefix}${String(++rounds).padStart(7, '0')}`

/** Retries with the same key, like a client. */
const accepted = (ask: () => Promise<Answer>, passing = [503]) =>
  until(async () => {
    const { status, body } = await ask()
    assert([200, ...passing].includes(status), `${status} ${JSON.stringify(body)}`)
    return status === 200 && body
  })
/** A 500 does not promise that nothing was stored. */
const verified = (fields: Record<string, unknown>, headers = {}) =>
  accepted(() => client.verify(fields, headers), [500, 503])
const keyOf = (to: string) => ({ 'idempotency-key': `key ${to}` })
const send = async (to: string, text = LONG): Promise<string> =>
  (await accepted(() => client.send({ to, text }, keyOf(to)))).messageId
const sendCode = async (to: string): Promise<string> => (await accepted(() => client.otp({ to }, keyOf(to)))).messageId
const statusOf = async (id: string) => (await client.get(`/sms/messages/${id}`)).body.status
const becomes = (id: string, status: string) =>
  until(async () => {
    await service.settle()
    return (await statusOf(id)) === status
  })
const partsTo = (to: string) => smsc.taken.filter((it) => it.to.endsWith(to))
const calledFor = (to: string) => provider.got.filter((it) => it.json?.to.endsWith(to))
const posted = (messageId: string) =>
  endpoint.received
    .map(({ body }) => JSON.parse(body.toString()))
    .filter((event) => event.id === messageId)
    .map((event) => event.status)
/** Each event counts once: a webhook whose outcome was not stored is repeated with the same ID. */
const isTold = (messageId: string, statuses: string[]) =>
  until(async () => {
    // Unsettled claims are repeated after their lease expires.
    await service.advance(10)
    return statuses.every((status) => posted(messageId).includes(status))
  })

interface Pipeline<Prepared> {
  prepare: () => Promise<Prepared>
  /** Runs while statements fail. */
  act: (prepared: Prepared) => Promise<unknown>
  check: (prepared: Prepared) => Promise<void>
}

let inAll = 0
const pipelines: [title: string, fail: (t: TestContext, fault: StatementFault) => Promise<void>][] = []

/** Repeats until every statement has failed by the fault. */
function failEach<Prepared>(title: string, pipeline: Pipeline<Prepared>): void {
  const fail = async (t: TestContext, fault: StatementFault) => {
    let statements = 0
    for (let failed = -1; failed !== 0; statements += failed) failed = await failSome(fault, pipeline)
    t.diagnostic(`${statements} statements failed`)
    inAll += statements
    await checkAll()
  }
  pipelines.push([title, fail])
}

/** Defines a test per pipeline. */
export function failEveryStatement(fault: StatementFault): void {
  for (const [title, fail] of pipelines) test(`${fault}: ${title}`, (t) => fail(t, fault))
  // Shared statements fail only once.
  test(`${fault}: statements did fail`, () => assert(inAll > 50, `${inAll} statements failed`))
}

/** Returns the number of failed statements. */
async function failSome<Prepared>(fault: StatementFault, { prepare, act, check }: Pipeline<Prepared>): Promise<number> {
  const prepared = await prepare()
  faults.arm(fault)
  try {
    await act(prepared)
    faults.disarm()
    await check(prepared)
    assert.deepEqual(unhandled, [])
  } catch (error) {
    throw new Error(`${fault} at ${faults.disarm().join('\nand at ')}`, { cause: error })
  }
  return faults.disarm().length
}

const reported = new Set<Taken>()

/** Every message is delivered, every event posted, and the balance equals the ledger. */
async function checkAll(): Promise<void> {
  for (const part of smsc.taken.filter((it) => !reported.has(it))) {
    reported.add(part)
    assert.equal(await smsc.reportOn(part, 'DELIVRD'), 0)
  }
  await until(async () => {
    await service.advance(10)
    const open = await query(
      address,
      `select 1 from message where status <> 'delivered' union all select 1 from webhook_queue union all select 1 from webhook_claim
      union all select 1 from delivery_queue union all select 1 from pending_report`,
    )
    return open.length === 0
  })
  const [sum] = await query(
    address,
    `select w.balance_e4 - sum(case when e.kind in ('reservation', 'expiry') then -e.amount_e4 else e.amount_e4 end)::bigint as n,
      (select count(*) from ledger_entry where kind = 'refund')::int as refunds
    from workspace w join ledger_entry e on e.workspace_id = w.id where w.id = '${workspaceId}' group by w.id`,
  )
  assert.deepEqual([Number(sum?.n), sum?.refunds], [0, 0])
}

failEach('accept, claim, answers: a long message is accepted once and submitted once', {
  prepare: async () => nextNumber('984'),
  act: async (to) => becomes(await send(to), 'sent'),
  check: async (to) => {
    assert.equal(partsTo(to).length, 2)
    const [message, ...others] = await query(address, `select id from message where to_number = '+977${to}'`)
    assert.deepEqual(others, [])
    assert(message)
  },
})

failEach('codes: one is sent once, and verified once', {
  prepare: async () => {
    // Requests per address are limited (§3.3).
    await service.advance(60)
    return nextNumber('984')
  },
  act: async (to) => {
    await becomes(await sendCode(to), 'sent')
    const [part] = partsTo(to)
    assert(part)
    const code = /\d{6}/.exec(part.text)?.[0]
    await verified({ to, code }, { 'idempotency-key': `verify ${to}` })
    const again = await verified({ to, code })
    assert.equal(again.verified, false)
  },
  check: async (to) => {
    assert.equal(partsTo(to).length, 1)
  },
})

failEach('reports, events, webhooks: a message is delivered with an event per status', {
  prepare: async () => {
    const to = nextNumber('984')
    const id = await send(to)
    await becomes(id, 'sent')
    return { to, id }
  },
  act: async ({ to, id }) => {
    for (const part of partsTo(to)) await until(async () => (await smsc.reportOn(part, 'DELIVRD')) === 0)
    await becomes(id, 'delivered')
    await isTold(id, ['sent', 'delivered'])
  },
  check: async ({ id }) => {
    const events = await query(address, `select name from webhook_event where message_id = '${id}'`)
    assert.equal(events.length, 2)
    await isTold(id, ['sent', 'delivered'])
  },
})

failEach('replies: a reply is stored once and sends an event', {
  prepare: async () => {
    const to = nextNumber('984')
    const id = await send(to, 'Question?')
    await becomes(id, 'sent')
    for (const part of partsTo(to)) assert.equal(await smsc.reportOn(part, 'DELIVRD'), 0)
    return to
  },
  act: async (from) => {
    const short_message = encodeText(`YES ${from}`, 'gsm') ?? Buffer.alloc(0)
    await until(
      async () => (await smsc.send({ source_addr: `977${from}`, destination_addr: 'Brand', short_message })) === 0,
    )
    await until(async () => {
      await service.settle()
      return endpoint.received.some(({ body }) => body.includes(`YES ${from}`))
    })
  },
  check: async (from) => {
    const replies = await query(address, `select 1 from inbound_message where text = 'YES ${from}'`)
    assert.equal(replies.length, 1)
  },
})

failEach('polls: an HTTP carrier is polled until its receipt is stored', {
  prepare: async () => {
    const to = nextNumber('985')
    const id = await send(to, 'Hello')
    await becomes(id, 'sent')
    await service.advance(9)
    assert.equal(await statusOf(id), 'sent')
    return { to, id }
  },
  act: async ({ id }) => {
    await until(async () => {
      await service.advance(2)
      return (await statusOf(id)) === 'delivered'
    })
  },
  check: async ({ to }) => {
    assert.equal(calledFor(to).length, 1)
    await until(async () => {
      await service.advance(10)
      return (await query(address, 'select 1 from receipt_poll')).length === 0
    })
  },
})

failEach('callbacks: a receipt that is answered 200 is stored', {
  prepare: async () => {
    const to = nextNumber('986')
    const id = await send(to, 'Hello')
    await becomes(id, 'sent')
    return { to, id }
  },
  act: async ({ id }) => {
    const receipt = JSON.stringify({ id: `id-${id.replaceAll('-', '')}`, state: 'DELIVRD' })
    const path = new URL(callbackUrl).pathname
    await until(async () => (await fetch(`${service.url}${path}`, { method: 'POST', body: receipt })).status === 200)
    await becomes(id, 'delivered')
  },
  check: async ({ to }) => {
    assert.equal(calledFor(to).length, 1)
  },
})
