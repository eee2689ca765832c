// The operator's screens without a browser: the real bundle, against the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { conversationOf, endingIn, phonesOf } from '../../ui/phone/conversation.ts'
import { makeClient } from '../harness/client.ts'
import { glance } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'
import { templateBody } from '../manage/fixtures.ts'

const HOSTILE = '<img src=x onerror=alert(1)>\u202e'
const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,simulator' } })
const { manage } = service
const client = await makeClient(service)
await client.send({ to: '+9779800000001', text: `Hello ${HOSTILE}`, senderId: 'Himal' })
await manage('POST', `/workspaces/${client.workspaceId}/templates`, { ...templateBody, name: 'Bold <b>Order</b>' })
await service.advance(3)
const { id: carrierId } = (await manage('GET', '/carriers')).body.items[0]
await service.db.query(sql`
  insert into unmatched_receipt (carrier_id, id, reference, to_number, state, code, raw, received_at)
  values (${carrierId}, ${service.ports.ids.next()}, ${HOSTILE}, '+9779800000001', '<b>DELIVRD', '000', 'id:1', ${service.clock.now()})`)
await service.db.query(sql`update carrier_stats set duplicate_message_ids = 1 where carrier_id = ${carrierId}`)

test('Overview shows queue, carriers, issues and receipts', async () => {
  const page = await glance(service, '/console/now')
  for (const text of ['OTP', 'Simulator', 'Working', 'templates are in review', HOSTILE]) await page.until(text)
  assert.equal(page.document.querySelectorAll('img, b').length, 0)
  await page.close()
})

test('lists workspaces, and one shows its settings and credit', async () => {
  const list = await glance(service, '/console/workspaces?name=himal')
  await list.until('Himal Bank')
  await list.close()
  const one = await glance(service, `/console/workspaces/${client.workspaceId}`)
  for (const text of ['Himal Bank', 'Top up', 'Price per segment']) await one.until(text)
  await one.close()
})

test('Template reviews shows a template with its variables, as text', async () => {
  const page = await glance(service, '/console/review')
  for (const text of ['Bold <b>Order</b>', '{{number}}', 'Approve']) await page.until(text)
  await page.close()
})

test('a carrier shows its connections, unmatched receipts with their cause, and its tests', async () => {
  const page = await glance(service, `/console/carriers/${carrierId}`)
  for (const text of [
    '1 transceiver',
    'Connected',
    'uses one ID for all segments',
    HOSTILE,
    'the carrier returned the ID',
  ])
    await page.until(text)
  assert.equal(page.document.querySelectorAll('img, b').length, 0)
  await page.close()
  const list = await glance(service, '/console/carriers')
  for (const text of ['Simulator', 'all numbers']) await list.until(text)
  await list.close()
})

test('the test phone shows messages as text and the test numbers; without a simulator it says so', async () => {
  const page = await glance(service, '/console/phone')
  for (const text of [`Hello ${HOSTILE}`, 'Himal', 'Throttled three times, then delivered.']) await page.until(text)
  assert.equal(page.document.querySelectorAll('img').length, 0)
  await page.close()
  const own = await glance(service, `/console/w/${client.workspaceId}/phone`, { workspaceId: client.workspaceId })
  await own.until(`Hello ${HOSTILE}`)
  await own.close()
  const without = await ownService()
  const empty = await glance(without, '/console/phone')
  await empty.until('The simulator is not running')
  await empty.close()
})

test('sorts a conversation by time, finds its code, and lists the latest phone first', () => {
  const at = (second: number) => `2026-11-16T04:00:0${second}.000Z`
  const list = {
    items: [
      { id: 's2', to: '+9779800000001', from: 'Himal', text: 'Code 123456.', receivedAt: at(3) },
      { id: 's1', to: '+9779800000002', from: 'Himal', text: 'NPR 1234567', receivedAt: at(1) },
    ],
    replies: [{ from: '+9779800000001', to: 'Himal', text: 'YES', sentAt: at(4) }],
  }
  const shown = conversationOf(list, '+9779800000001').map(({ isOwn, text, code }) => [isOwn, text, code])
  assert.deepEqual(shown, [
    [false, 'Code 123456.', '123456'],
    [true, 'YES', null],
  ])
  assert.equal(conversationOf(list, '+9779800000002')[0]?.code, null)
  assert.deepEqual(
    phonesOf(list).map(({ number, last }) => [number, last]),
    [
      ['+9779800000001', 'YES'],
      ['+9779800000002', 'NPR 1234567'],
    ],
  )
  assert.equal(endingIn('+9779841234567', '04'), '+9779841234504')
  assert.equal(endingIn('', '04'), '+9779800000004')
})
