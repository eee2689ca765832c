// `hulaki send` and `hulaki otp` with an API key: status until it is final, and errors with hints.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { freePort } from '../../scripts/free-port.ts'
import { makeClient, type TestClient } from '../harness/client.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { pretend } from './pretend.ts'
import { type Printed, typist } from './typed.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,simulator' } })

/** Runs commands with this client's key while messages are delivered. */
function typing({ apiKey }: Pick<TestClient, 'apiKey'>, url = service.url) {
  const secret = (name: string) => (name === 'HULAKI_API_KEY' ? apiKey : null)
  return async (...words: string[]): Promise<Printed> => {
    let isDone = false
    const printed = typist(url, { secret, tokenFor: () => null, newIdempotencyKey: () => crypto.randomUUID() })(
      ...words,
    ).finally(() => {
      isDone = true
    })
    // The manual clock needs settle calls meanwhile.
    await until(async () => {
      await service.settle()
      return isDone
    })
    return printed
  }
}

test('send follows a message until it is final, and the exit code tells whether it was delivered', async () => {
  const type = typing(await makeClient(service))
  const delivered = await type('send', '9800000001', 'Your order 4711 is on its way', '--sender', 'Himal')
  assert.deepEqual([delivered.code, delivered.err], [0, ''])
  assert.match(delivered.out, /^\S{36} {2}queued {2}segments=1 cost=1\.5 from=Himal\n(\S+ {2}\w+\n)*\S+ {2}delivered$/)
  const failed = await type('send', '9800000003', 'Hello', '--type', 'transactional')
  assert.equal(failed.code, 1)
  assert.match(failed.out, / {2}failed {2}carrier_rejected$/)
  const json = await type('send', '9800000002', 'Hello', '--json')
  const lines = json.out.split('\n').map((line) => JSON.parse(line))
  assert.deepEqual([json.code, lines[0].success, lines.at(-1).status], [1, true, 'undelivered'])
  const alone = await type('send', '9800000001', 'Hello', '--no-wait')
  assert.deepEqual([alone.code, alone.out.split('\n').length], [0, 1])
})

/** Responses of a service with a message that waits, until its third explanation. */
async function waitingService(
  context: Pick<TestContext, 'after'>,
  { timeline, now }: { timeline: object; now: object },
) {
  let explanations = 0
  return pretend(context, ({ url = '' }, response) => {
    if (url.endsWith('/timeline')) explanations++
    const status = explanations > 1 ? 'delivered' : 'queued'
    const [code, body] = url.endsWith('/sms/send')
      ? [200, { success: true, messageId: 'm-1', segments: 1, cost: 1.5, from: 'Himal' }]
      : url.includes('/sms/messages/')
        ? [200, { status, error: '', updatedAt: '2026-11-16T04:00:00.000Z' }]
        : url.endsWith('/timeline')
          ? [200, timeline]
          : url.endsWith('/now')
            ? [200, now]
            : [404, { error: 'No', code: 'not_found' }]
    response.writeHead(code as number).end(JSON.stringify(body))
  })
}

test('send explains why a message waits and what to do next, from the incidents of the service', async (context) => {
  const waiting = {
    for: 'network_down',
    since: '2026-11-16T04:00:00.000Z',
    until: null,
    endsAt: '2026-11-18T04:00:00.000Z',
    reason: 'ECONNREFUSED',
  }
  const incidents = [
    {
      code: 'carrier_down',
      severity: 'outage',
      what: "Everest is disconnected. Check it with 'hulaki carrier test Everest'.",
    },
  ]
  const url = await waitingService(context, { timeline: { waiting }, now: { incidents } })
  const { code, err, out } = await typist(url, { secret: () => 'a-key' })('send', '9800000001', 'Hello')
  assert.equal(code, 0)
  assert.match(out, /delivered$/)
  // The same reason is printed once.
  const [first, second, ...more] = err.split('\n')
  assert.match(first ?? '', /^Waiting: the carrier is disconnected \(ECONNREFUSED\)\. The message expires 18 Nov/)
  assert.equal(second, incidents[0]?.what)
  assert.deepEqual(more, [])
})

test('send explains a real outage: the service has no carrier', async () => {
  const idle = await ownService({ env: { HULAKI_ROLES: 'api' } })
  const { apiKey } = await makeClient(idle)
  const stopped = new AbortController()
  const explained: string[] = []
  const err = (line: string) => {
    explained.push(line)
    stopped.abort()
  }
  const { code } = await typist(idle.url, { secret: () => apiKey, signal: stopped.signal, err, width: 80 })(
    'send',
    '9800000001',
    'Hello',
  )
  assert.equal(code, 0)
  assert.match(
    explained[0] ?? '',
    /^Waiting for a route: .*The message expires.*\nThe service has no carrier: .*\(hulaki\s+carrier add\)/s,
  )
  for (const line of explained.join('\n').split('\n')) assert.ok(line.length <= 80 || !line.includes(' '), line)
})

test('send says that sending is paused, or that no carrier serves the number', async (context) => {
  const waiting = { for: 'route', since: '2026-11-16T04:00:00.000Z', until: null, endsAt: '2026-11-18T04:00:00.000Z' }
  const what = "Sending is paused. Resume it with 'hulaki service change --sms-enabled'."
  const paused = await waitingService(context, {
    timeline: { waiting },
    now: { incidents: [{ code: 'sending_off', what }] },
  })
  const routeless = await waitingService(context, { timeline: { waiting }, now: { incidents: [] } })
  const [one, other] = await Promise.all(
    [paused, routeless].map((url) => typist(url, { secret: () => 'a-key' })('send', '9800000001', 'Hello')),
  )
  assert.equal(one?.err, `Waiting: sending is paused.\n${what}`)
  assert.match(other?.err ?? '', /^Waiting for a route: no enabled carrier serves this number\. .*\nAdd a route/)
})

test('without a token, send names the command that shows why a message waits', async (context) => {
  let polls = 0
  const url = await pretend(context, ({ url = '' }, response) => {
    const isSent = url.endsWith('/sms/send')
    const status = ++polls > 8 ? 'delivered' : 'queued'
    response.writeHead(200).end(JSON.stringify(isSent ? { messageId: 'm-1' } : { status, error: '', updatedAt: '' }))
  })
  const { err } = await typist(url, { secret: () => 'a-key', tokenFor: () => null })('send', '9800000001', 'Hello')
  assert.equal(err, "Still queued. 'hulaki message show m-1' shows why; it needs a token of the workspace.")
})

test('send requires either a text or a template with variables', async () => {
  const client = await makeClient(service)
  const path = `/workspaces/${client.workspaceId}/templates`
  const asked = { name: 'Order', type: 'transactional', text: 'Your order {{number}} is on its way' }
  const { id } = (await service.manage('POST', path, asked)).body
  await service.manage('POST', `/templates/${id}/approve`)
  const type = typing(client)
  const sent = await type('send', '9800000001', '--template-id', id, '--variables', '{"number": 4711}', '--json')
  assert.equal(sent.code, 0, sent.err)
  assert.equal(JSON.parse(sent.out.split('\n').at(-1) ?? '').text, 'Your order 4711 is on its way')
  for (const words of [[], ['Hello', '--template-id', id]]) {
    const { code, err } = await type('send', '9800000001', ...words)
    assert.deepEqual([code, err], [2, 'Give either a text or --template-id.'])
  }
})

test('otp send and otp verify handle OTPs per purpose', async () => {
  const type = typing(await makeClient(service))
  const sent = await type('otp', 'send', '9800000001', '--purpose', 'payment')
  assert.equal(sent.code, 0, sent.err)
  assert.match(sent.out, /^\S{36} {2}queued {2}OTP valid for 300 s\n(.*\n)*\S+ {2}delivered$/)
  const { items } = (await service.manage('GET', '/simulator/messages')).body
  const code = /: (\d{6}) is/.exec(items[0].text)?.[1] ?? ''
  const wrong = await type(
    'otp',
    'verify',
    '9800000001',
    code === '000000' ? '000001' : '000000',
    '--purpose',
    'payment',
  )
  assert.deepEqual([wrong.code, wrong.out], [1, 'Wrong OTP.'])
  const other = await type('otp', 'verify', '9800000001', code)
  assert.deepEqual([other.code, other.out.slice(0, 40)], [1, 'No active OTP for this number and purpos'])
  const right = await type('otp', 'verify', '9800000001', code, '--purpose', 'payment')
  assert.deepEqual([right.code, right.out], [0, 'Verified.'])
  const soon = await type('otp', 'send', '9800000001', '--purpose', 'payment')
  assert.equal(soon.code, 1)
  assert.match(soon.err, /\(rate_limited\)\nTry again in \d+ s\.$/)
})

test('an error prints a hint, and the API key never comes from an argument', async () => {
  const client = await makeClient(service)
  const wrong = await typing({ apiKey: `${client.apiKey}0` })('send', '9800000001', 'Hello')
  assert.equal(wrong.code, 4)
  assert.match(wrong.err, /\(unauthorized\)\nCheck the API key of --api-key-file or HULAKI_API_KEY/)
  const poor = await service.manage('POST', '/workspaces', {
    ...{ name: 'Poor', country: 'NP', status: 'active', monthlyCredit: 0 },
    rate: { transactional: 1.5, otp: 1.2, promotional: 1 },
  })
  const type = typing(await makeClient(service, { workspaceId: poor.body.id }))
  assert.match(
    (await type('otp', 'send', '9800000001')).err,
    /Add credit \(hulaki credit add\), .* --idempotency-key \S{36}\./,
  )
  assert.match((await type('send', '9800000001', 'Hello')).err, /with --template-id, or submit one/)
  const none = await typist(service.url)('send', '9800000001', 'Hello')
  assert.deepEqual([none.code, none.err.slice(0, 26)], [2, 'An API key is required: --'])
  const filed = await typist(service.url, { readFile: () => `${client.apiKey}\n` })(
    ...['send', '9800000001', 'Hello', '--no-wait', '--api-key-file', 'key'],
  )
  assert.equal(filed.code, 0, filed.err)
})

test('§7.4: retries a lost request with the same key, and prints how to repeat it after the last attempt', async (context) => {
  const keys: unknown[] = []
  const url = await pretend(context, ({ headers }, response) => {
    keys.push(headers['idempotency-key'])
    if (keys.length === 1) return response.destroy()
    if (keys.length === 2)
      return response.writeHead(503, { 'retry-after': '1' }).end('{"error":"Away","code":"unavailable"}')
    return response.writeHead(200).end('{"success":true,"verified":true}')
  })
  const type = typist(url, { secret: () => 'a-key', newIdempotencyKey: () => 'mine' })
  assert.equal((await type('otp', 'verify', '9800000001', '123456')).out, 'Verified.')
  assert.deepEqual(keys, ['mine', 'mine', 'mine'])
  const away = await pretend(context, (_, response) => response.destroy())
  const lost = await typist(away, { secret: () => 'a-key', newIdempotencyKey: () => 'mine' })('send', '98', 'Hello')
  assert.equal(lost.code, 5)
  assert.match(
    lost.err,
    /\nThe message may be sent\. Repeat the command within 24 hours with --idempotency-key mine: it takes effect once\.$/,
  )
})

test('without any connection, no message is reported as possibly sent', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const nowhere = typist(url, { secret: () => 'a-key' })
  const sent = await nowhere('send', '98', 'Hello')
  assert.equal(sent.code, 5)
  assert.match(sent.err, /^\S+ does not respond \(.*\)\.\nIs it running\?/)
  const booked = await nowhere('credit', 'add', '01990000-0000-7000-8000-000000000000', '5')
  assert.doesNotMatch(booked.err, /may be booked/)
})

test('the help of these commands fits 80 columns', async () => {
  const type = typist(service.url)
  for (const words of ['send', 'otp send', 'otp verify', 'listen', 'trigger', 'archive', 'forget', 'doctor'].map((it) =>
    it.split(' '),
  )) {
    for (const typed of [
      ['help', ...words],
      [...words, '--help'],
    ]) {
      const { code, out } = await type(...typed)
      assert.equal(code, 0)
      assert.match(out, new RegExp(`^Usage: hulaki ${words.join(' ')}`, 'm'))
      for (const line of out.split('\n')) assert.ok(line.length <= 80, line)
    }
  }
})
