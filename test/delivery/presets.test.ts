// D63: the full path of a message with each preset against a provider that follows its documentation. presets.long.test.ts covers all
// outcomes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../harness/until.ts'
import { make } from './providers/fake.ts'
import { infobip } from './providers/infobip.ts'
import { FAKES, startPresetService } from './providers/preset-service.ts'
import { API_KEY, SERVICE_SID, twilio } from './providers/twilio.ts'

const { service, connect, areWorking, stateOf } = await startPresetService()
const HOURS = 3600

test('each preset submits correctly and applies reports; without reports, sent is final', async (t) => {
  const carriers = await Promise.all(FAKES.map((fake) => connect(t, fake)))
  await areWorking()
  const text = 'नमस्ते & "1+1={2}" '.repeat(10).trim()
  const ways = await Promise.all(
    carriers.map(async (carrier) => ({
      carrier,
      arrives: await carrier.send([], text),
      fails: await carrier.send(),
      lost: await carrier.send(),
    })),
  )
  const all = ways.flatMap(({ arrives, fails, lost }) => [arrives, fails, lost])
  await until(async () => {
    await service.settle()
    return (await Promise.all(all.map(({ id }) => stateOf(id)))).every((it) => it === 'sent')
  })
  for (const { carrier, arrives, fails, lost } of ways) {
    const { fake, got, callsFor } = carrier
    const whole = got.find((it) => fake.read(it).to === arrives.to)
    assert(whole)
    assert.deepEqual(fake.read(whole), { to: arrives.to, from: fake.values.identity ?? 'Brand', text })
    const calls = [
      ...callsFor({ [arrives.to]: 'pending', [fails.to]: 'pending' }),
      ...callsFor({ [arrives.to]: 'delivered', [fails.to]: 'undelivered', [lost.to]: 'invalid number' }),
    ]
    assert.deepEqual([...new Set(await make(calls))], fake.report ? [200] : [], fake.preset)
  }
  // After the receipt deadline (D13).
  await service.advance(80 * HOURS)
  for (const { carrier, ...messages } of ways) {
    const became = await Promise.all(Object.values(messages).map(({ id }) => stateOf(id)))
    const reported = ['delivered', 'undelivered: delivery_failed', 'undelivered: invalid_number']
    assert.deepEqual(became, carrier.fake.report ? reported : ['sent', 'sent', 'sent'], carrier.fake.preset)
    assert.deepEqual(carrier.described.preset.name, carrier.fake.preset)
  }
})

test("rejects a receipt without Twilio's signature", async (t) => {
  const { send, callsFor } = await connect(t, twilio)
  await areWorking()
  const [one, other] = [await send(), await send()]
  await until(async () => {
    await service.settle()
    return (await stateOf(one.id)) === 'sent' && (await stateOf(other.id)) === 'sent'
  })
  const [said] = callsFor({ [one.to]: 'delivered' })
  const [foreign] = callsFor({ [other.to]: 'delivered' })
  assert(said && foreign)
  const { 'x-twilio-signature': _, ...unsigned } = said.headers
  const wrong = [
    { ...said, headers: unsigned },
    { ...said, headers: foreign.headers },
    { ...said, url: foreign.url },
    { ...said, body: `${said.body}&ErrorCode=1` },
  ]
  assert.deepEqual(await make(wrong), [401, 401, 401, 401])
  assert.deepEqual([await stateOf(one.id), await stateOf(other.id)], ['sent', 'sent'])
  assert.deepEqual(await make([said]), [200])
  assert.deepEqual([await stateOf(one.id), await stateOf(other.id)], ['delivered', 'sent'])
})

test('Twilio accepts a Messaging Service as sender, and an API key instead of the auth token', async (t) => {
  const values = { sender: SERVICE_SID, apiKeySid: API_KEY.sid }
  const cases = [
    { values: { ...values, receipts: 'none' }, secrets: { apiKeySecret: API_KEY.secret } },
    { values, secrets: { ...twilio.secrets, apiKeySecret: API_KEY.secret } },
    { values: { sender: SERVICE_SID }, secrets: twilio.secrets },
  ]
  for (const given of cases) {
    const { send, got, fake } = await connect(t, twilio, given)
    await areWorking()
    const { id } = await send()
    await until(async () => {
      await service.settle()
      return (await stateOf(id)) === 'sent'
    })
    assert.deepEqual(
      got.map((it) => [fake.read(it).from, new URLSearchParams(it.body).get('From')]),
      [[SERVICE_SID, null]],
    )
  }
})

test('a message that Infobip reported at the operator stays sent; without a receipt it is undelivered', async (t) => {
  const { send, callsFor } = await connect(t, infobip)
  await areWorking()
  const [reached, silent, arrived] = [await send(), await send(), await send()]
  const states = () => Promise.all([reached, silent, arrived].map(({ id }) => stateOf(id)))
  await until(async () => {
    await service.settle()
    return (await states()).every((it) => it === 'sent')
  })
  await make(callsFor({ [reached.to]: 'pending', [arrived.to]: 'pending' }))
  await make(callsFor({ [arrived.to]: 'delivered' }))
  await service.advance(80 * HOURS)
  assert.deepEqual(await states(), ['sent', 'undelivered: delivery_timeout', 'delivered'])
})

test('the error of a rejected Infobip call is shown', async (t) => {
  const { send, carrierId } = await connect(t, { ...infobip, secrets: { apiKey: 'a-wrong-key' } })
  await areWorking()
  await send()
  await until(async () => {
    await service.settle()
    const [bind] = (await service.manage('GET', `/carriers/${carrierId}`)).body.state
    return bind.lastError === 'HTTP 401 Unauthorized'
  })
})

test('polls Twilio for each message if callbacks are not possible', async (t) => {
  const { send, tell, got, described } = await connect(t, twilio, { values: { receipts: 'poll' } })
  await areWorking()
  const messages = [await send(), await send(), await send()]
  const states = () => Promise.all(messages.map(({ id }) => stateOf(id)))
  await until(async () => {
    await service.settle()
    return (await states()).every((it) => it === 'sent')
  })
  assert(
    !JSON.stringify(described).includes('callbackUrl') && got.every(({ body }) => !body.includes('StatusCallback')),
  )
  const [arrives, lost] = messages
  assert(arrives && lost)
  tell(arrives.to, 'delivered')
  tell(lost.to, 'invalid number')
  await until(async () => {
    await service.advance(10)
    return (await states()).slice(0, 2).every((it) => it !== 'sent')
  })
  assert.deepEqual(await states(), ['delivered', 'undelivered: invalid_number', 'sent'])
})
