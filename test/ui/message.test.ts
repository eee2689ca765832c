// The screens of a message and of the API log, without a browser: the real bundle, against the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignCharacters, piecesOf } from '../../ui/message/segments.ts'
import { makeClient } from '../harness/client.ts'
import { glance } from '../harness/readers.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc({ plan: () => ({ status: 0x0b }) })
await addRoute(service, await addCarrier(service, smsc.port))
const client = await makeClient(service)
const { workspaceId } = client
const at = (path: string) => `/console/w/${workspaceId}${path}`

test('a message shows its timeline, its error and the next step', async () => {
  const { body } = await client.send({ to: '9841000699', text: 'तपाईंको अर्डर <b>1</b>' })
  await service.settle()
  const page = await glance(service, at(`/messages/${body.messageId}`), { workspaceId, role: 'owner' })
  await page.until('Timeline')
  for (const words of [
    'Accepted from API',
    'NPR 1.50 held',
    'Submitted to carrier',
    'Rejected (permanent)',
    'Failed: invalid number',
    'NPR 1.50 refunded',
    'Check the number before you send to it again.',
    '+97798••••699',
    '1 segment, UCS-2',
    'Non-GSM characters',
    'तपाईंको अर्डर <b>1</b>',
  ])
    await page.until(words)
  assert.equal(page.text().includes('9841000699'), false)
  await page.close()
})

test('shows one acceptance for one segment, the receipt after it, the charge at the end, and the time zone', async () => {
  const { plan } = smsc
  smsc.plan = () => ({ report: 'DELIVRD' })
  const { body } = await client.send({ to: '9841000698', text: 'On its way' })
  await service.settle()
  await until(async () => (await client.get(`/sms/messages/${body.messageId}`)).body.status === 'delivered')
  smsc.plan = plan
  const page = await glance(service, at(`/messages/${body.messageId}`), { workspaceId, role: 'owner' })
  await page.until('NPR 1.50 charged')
  const text = page.text().slice(page.text().indexOf('Timeline'))
  const places = [
    'NPR 1.50 held',
    'Submitted to carrier',
    'Accepted by carrier',
    'Receipt: delivered',
    'NPR 1.50 charged',
  ].map((it) => text.indexOf(it))
  assert.ok(!places.includes(-1), text)
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
    text,
  )
  assert.doesNotMatch(text, /segments? accepted by carrier/)
  assert.match(text, /^Timeline\d+ \w+ \d+, Asia\/Kathmandu/)
  await page.close()
})

test('an operator sees a dash for the margin where no carrier price is known, an owner sees no margin', async () => {
  const { body } = await client.send({ to: '9841000697', text: 'Without a price' })
  await service.settle()
  const page = await glance(service, at(`/messages/${body.messageId}`))
  await page.until(/Carrier cost–Margin–/)
  await page.close()
  const owner = await glance(service, at(`/messages/${body.messageId}`), { workspaceId, role: 'owner' })
  await owner.until('Timeline')
  assert.doesNotMatch(owner.text(), /Margin/)
  await owner.close()
})

test('a viewer sees the timeline, but neither the number nor the text', async () => {
  const { body } = await client.send({ to: '9841000700', text: 'For your eyes' })
  const page = await glance(service, at(`/messages/${body.messageId}`), { workspaceId, role: 'viewer' })
  await page.until('The text is hidden.')
  await page.until('+97798••••700')
  assert.equal(page.text().includes('For your eyes'), false)
  assert.equal(page.text().includes('Reveal number'), false)
  await page.close()
})

test('the API log counts errors by code with a fix, and lists each request', async () => {
  const { headers } = await client.send({ to: '12' })
  const path = `/workspaces/${workspaceId}/requests?outcome=refused`
  await until(async () => (await service.manage('GET', path)).body.items.length > 0)
  const page = await glance(service, at('/requests'), { workspaceId, role: 'developer' })
  for (const words of ['invalid_request', 'POST /sms/send', 'Fix the fields that the error names.', 'Himal app'])
    await page.until(words)
  await page.close()
  const requestId = headers.get('x-request-id') ?? ''
  const open = await glance(service, at(`/requests?open=${requestId}`), { workspaceId, role: 'developer' })
  await open.until(requestId)
  await open.close()
})

test('D3: shows the segments as they are sent, and each non-GSM character once', () => {
  const long = `${'x'.repeat(150)}नमस्ते नमस्ते`
  const { encoding, segments } = piecesOf(long)
  assert.equal(encoding, 'UCS2')
  assert.deepEqual(
    segments.map((pieces) => pieces.reduce((sum, { text }) => sum + text.length, 0)),
    [67, 67, long.length - 134],
  )
  assert.equal(segments.flatMap((pieces) => pieces.map(({ text }) => text)).join(''), long)
  assert.deepEqual(piecesOf('a€ b').segments, [[{ text: 'a€ b', isForeign: false }]])
  const found = foreignCharacters('ok – नमस्ते – नमस्ते', 10)
  assert.equal(found[0], '–')
  assert.equal(new Set(found).size, found.length)
  assert.equal(foreignCharacters('क ख ग घ', 2).length, 2)
})
