// Senders (D34): stored as given, sent as the carrier can encode them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient, makeOwner } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'

const TWENTY_FIVE_DIGITS = '1234567890123456789012345'

test('D34: an OTP of the brand Café €£ and messages from any sender are delivered by the simulator', async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,simulator' } })
  const client = await makeClient(service, { brandName: 'Café €£' })
  const handset = async () => (await service.manage('GET', '/simulator/messages')).body.items[0]
  const delivered = async (messageId: string) => {
    await service.advance(1)
    const { body } = await client.get(`/sms/messages/${messageId}`)
    assert.deepEqual([body.status, body.error], ['delivered', ''])
    return body
  }
  const code = await client.otp({ to: '9841000001' })
  assert.equal((await delivered(code.body.messageId)).from, 'Café €£')
  const { from, text } = await handset()
  assert.equal(from, 'Cafe EL')
  assert.match(text, /^Café €£: \d{6} is your verification code/)

  for (const senderId of ['é', '€', '£', 'नमस्ते', TWENTY_FIVE_DIGITS, ' ', '😀', 'Ω'.repeat(100)]) {
    const { body } = await client.send({ to: '9841000001', senderId })
    assert.equal((await delivered(body.messageId)).from, senderId)
  }
})

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc()
const sender = await makeSender(service)
const carrierId = await addCarrier(service, smsc.port, { defaultSender: 'Everest' })
await addRoute(service, carrierId)

test('D34: each kind of sender is sent with its type, and the timeline shows the real sender', async () => {
  const { token } = await makeOwner(service, sender.workspaceId)
  for (const [senderId, address, ton, npi] of [
    ['+9779801234567', '9779801234567', 1, 1],
    ['3355', '3355', 0, 0],
    ['Himal Bank Nepal', 'Himal Bank', 5, 0],
    ['नमस्ते', 'Everest', 5, 0],
    [TWENTY_FIVE_DIGITS, 'Everest', 5, 0],
  ] as const) {
    const { body } = await sender.send({ to: '9841000001', senderId })
    await service.settle()
    const pdu = smsc.taken.at(-1)?.pdu
    assert.deepEqual([pdu?.source_addr, pdu?.source_addr_ton, pdu?.source_addr_npi], [address, ton, npi])
    const shown = await service.manage('GET', `/messages/${body.messageId}/timeline`, undefined, token)
    assert.equal(shown.body.message.from, senderId)
    const submission = shown.body.timeline.find((it: { what: string }) => it.what === 'submission')
    assert.equal(submission.from, address)
  }
})

test('D34: the default sender of a carrier can be changed and removed, and must be valid', async () => {
  const path = `/carriers/${carrierId}`
  const goesOutAs = async (defaultSender: string | null) => {
    assert.equal((await service.manage('PATCH', path, { defaultSender })).body.defaultSender, defaultSender)
    await service.settle()
    await sender.send({ to: '9841000001', senderId: '…' })
    await service.settle()
    return smsc.taken.at(-1)?.from
  }
  assert.equal(await goesOutAs('3355'), '3355')
  assert.equal(await goesOutAs(null), 'SMS')
  for (const defaultSender of ['', 'नमस्ते', 'Far too long a name', '+977', TWENTY_FIVE_DIGITS]) {
    assertRefused(await service.manage('PATCH', path, { defaultSender }), 400, 'invalid_request', ['defaultSender'])
  }
})
