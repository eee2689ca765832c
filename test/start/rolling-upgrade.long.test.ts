// The previous release and this one side by side: the new code changes the schema under the load of the old code, and takes over.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { clientAt, makeClient, makeWorkspace } from '../harness/client.ts'
import { testDatabaseAddress } from '../harness/database.ts'
import { dataFolder, ServiceProcess, statusOf, urlOf } from '../harness/process.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { query } from '../harness/server.ts'
import { call, type ServiceUnderTest } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'
import { type Endpoint, startEndpoint } from '../webhooks/endpoints.ts'
import { WEBHOOK_ENV, urlOf as webhookUrlOf } from '../webhooks/webhook-service.ts'
import { checkOutPreviousRelease, missingReason, PREVIOUS_RELEASE } from './previous-release.ts'
import { Load } from './upgrade-load.ts'

const skip = missingReason()
const OPERATOR_TOKEN = 'operator-token-of-the-tests-long-enough'
const CREDIT = 100_000
/** Of calls, before the next step. */
const ROUNDS = 40

const PARTITIONED = 'message,submission,report,inbound_message,audit_entry'
/** The partitioned tables. */
const partitioned = `select count(*)::int as count from pg_class where relkind = 'p' and relname = any('{${PARTITIONED}}')`

function managing(url: string): Pick<ServiceUnderTest, 'url' | 'manage'> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
  return { url, manage: (method, path, body) => call(`${url}/api/manage/v1${path}`, { method, body, headers }) }
}

/** The status changes that the endpoint received, once per event. */
function eventsIn({ received }: Pick<Endpoint, 'received'>): string[] {
  const bodies = new Map(received.map(({ headers, body }) => [headers['x-svc-delivery'], JSON.parse(String(body))]))
  return Array.from(bodies.values(), ({ id, status }) => `${id} ${status}`).toSorted()
}

test('a rolling upgrade from the previous release fails no request, and loses or duplicates no message', {
  skip,
}, async (t) => {
  const { folder, remove } = checkOutPreviousRelease()
  after(remove)
  const address = await testDatabaseAddress({ template: 'template0' })
  const smsc = await startSmsc()
  const endpoint = await startEndpoint(t, (response) => response.writeHead(204).end())
  const env = {
    ...WEBHOOK_ENV,
    DATABASE_URL: urlOf(address),
    HULAKI_DATA_DIR: dataFolder(),
    HULAKI_OPERATOR_TOKEN: OPERATOR_TOKEN,
    HULAKI_TRUSTED_PROXIES: '127.0.0.1',
    HULAKI_ROLES: 'api,delivery,webhooks,upkeep',
  }
  const previous = new ServiceProcess({ env, checkout: folder })
  const previousUrl = await previous.url()
  const service = managing(previousUrl)
  await addRoute(service, await addCarrier(service, smsc.port, { binds: 2 }))
  const rate = { transactional: 1, otp: 1, promotional: 1 }
  const workspaceId = await makeWorkspace(service, { rate, monthlyCredit: CREDIT })
  const client = await makeClient(service, { workspaceId, webhookUrl: webhookUrlOf(endpoint) })

  const load = new Load({ client, operatorToken: OPERATOR_TOKEN, smsc })
  load.urls = [previousUrl]
  await load.add(ROUNDS)
  const current = new ServiceProcess({ env })
  const currentUrl = await current.url()
  assert.equal((await query(address, partitioned))[0]?.count, PARTITIONED.split(',').length)
  load.urls = [previousUrl, currentUrl]
  await load.add(ROUNDS)
  assert.equal(await statusOf(`${previousUrl}/readyz`), 200, previous.stdout)
  await load.leave(previousUrl)
  assert.equal(await previous.stop(), 0, previous.stdout)
  await load.add(ROUNDS)
  await load.stop()

  const { accepted, statuses, unexpected } = load
  t.diagnostic(JSON.stringify({ from: PREVIOUS_RELEASE, messages: accepted.size, statuses }))
  assert.deepEqual(unexpected, [])
  const open = `select count(*)::int as count from message where status <> 'delivered'`
  const waiting = `select count(*)::int as count from webhook_event where state <> 'delivered'`
  for (const text of [open, waiting]) await until(async () => (await query(address, text))[0]?.count === 0)
  assert.deepEqual(smsc.taken.map(({ to }) => to).toSorted(), [...accepted.values()].toSorted())
  const events = [...accepted.keys()].flatMap((id) => [`${id} delivered`, `${id} sent`])
  assert.deepEqual(eventsIn(endpoint), events.toSorted())
  const [{ spent } = {}] = await query(address, 'select sum(cost_e4)::float8 as spent from message')
  const { body } = await clientAt(currentUrl, client).get('/sms/balance')
  assert.equal(Math.round((CREDIT - body.balance) * 10_000), spent)
  assert.equal(await current.stop(), 0)
  for (const { stdout } of [previous, current]) assert.doesNotMatch(stdout, /"level":[56]0/)
})
