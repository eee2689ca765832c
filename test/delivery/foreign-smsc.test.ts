// The whole service with a Net::SMPP SMSC as carrier, checked by Wireshark.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { judgeByWireshark, type Line, noNetSmpp, recordingProxy, runPerl } from '../smpp/foreign-peer.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })

test('delivers messages of every kind through Net::SMPP and stores a reply, without malformed PDUs', {
  skip: noNetSmpp,
}, async (t) => {
  const smsc = runPerl(t, 'foreign-smsc.pl')
  const { port: smscPort } = await smsc.nextLine()
  const recorder = await recordingProxy(t, Number(smscPort))
  const sender = await makeSender(service)
  await addRoute(service, await addCarrier(service, recorder.port))

  const long = 'Your order is on its way. '.repeat(12)
  const longInUcs2 = 'तपाईंको अर्डर बाटोमा छ 🚚 '.repeat(6)
  const sent = await Promise.all([
    sender.send({ to: '9841000001', text: 'Does {€5} suit?' }),
    sender.send({ to: '9841000002', text: 'नमस्ते 😀' }),
    sender.send({ to: '9841000003', text: long }),
    sender.send({ to: '9841000004', text: longInUcs2 }),
    sender.sendCode('9841000005'),
  ])
  for (const { status, body } of sent) assert.equal(status, 200, JSON.stringify(body))
  const ids = sent.map(({ body }) => body.messageId as string)
  await service.settle()
  const messages = await until(async () => {
    const all = await Promise.all(ids.map(sender.get))
    return all.every(({ status }) => status === 'delivered') ? all : null
  })
  assert.deepEqual(
    messages.map(({ attempts, encoding, segments }) => ({ attempts, encoding, segments })),
    [
      { attempts: 1, encoding: 'GSM7', segments: 1 },
      { attempts: 1, encoding: 'UCS2', segments: 1 },
      { attempts: 1, encoding: 'GSM7', segments: 3 },
      { attempts: 1, encoding: 'UCS2', segments: 3 },
      { attempts: 1, encoding: 'GSM7', segments: 1 },
    ],
  )
  const replies = await until(async () => {
    const stored = await service.db.query({
      text: 'select client_id, from_number, to_address, text, in_reply_to from inbound_message',
      values: [],
      name: undefined,
    })
    return stored.length > 0 ? stored : null
  })
  const ofOurs = { client_id: sender.clientId, in_reply_to: ids[0], to_address: 'Brand' }
  assert.deepEqual(replies, [{ ...ofOurs, from_number: '+9779841000001', text: 'नमस्ते!' }])

  await service.stop()
  const lines = await smsc.restOfLines()
  assert.deepEqual(lines[0], { command: 'bind_transceiver', system_id: 'hulaki', password: 'secret', status: 0 })
  assert.equal(lines.at(-1)?.command, 'unbind')
  assert.deepEqual(bytesTo('9779841000001', lines), ['446f6573201b281b65351b2920737569743f'])
  assert.deepEqual(bytesTo('9779841000002', lines), ['0928092e0938094d092409470020d83dde00'])
  assert.equal(joined(bytesTo('9779841000003', lines), 'latin1'), long)
  assert.equal(joined(bytesTo('9779841000004', lines), 'ucs2'), longInUcs2)
  const code = lines.find(({ destination_addr }) => destination_addr === '9779841000005')
  assert.equal(code?.validity_period, '000000000500000R', 'an OTP expires after five minutes (D14)')
  const confirmed = lines.filter(({ command, status }) => command === 'deliver_sm_resp' && status === 0)
  assert.equal(confirmed.length, 9 + 2, 'one receipt per segment, and two reply parts')
  judgeByWireshark(t, recorder.frames())
})

function bytesTo(number: string, lines: Line[]): string[] {
  const ofNumber = lines.filter(
    ({ command, destination_addr }) => command === 'submit_sm' && destination_addr === number,
  )
  return ofNumber.map(({ short_message }) => String(short_message))
}

/** Joins parts like a handset, by the header 05 00 03, without our own code. */
function joined(parts: string[], alphabet: 'latin1' | 'ucs2'): string {
  const references = new Set(parts.map((part) => part.slice(0, 10)))
  assert.deepEqual(references.size, 1, 'one reference and one total')
  const inOrder = parts.toSorted((one, other) => Number(`0x${one.slice(10, 12)}`) - Number(`0x${other.slice(10, 12)}`))
  const bytes = Buffer.concat(inOrder.map((part) => Buffer.from(part.slice(12), 'hex')))
  return alphabet === 'ucs2' ? bytes.swap16().toString('utf16le') : bytes.toString('latin1')
}
