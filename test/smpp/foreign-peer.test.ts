// Interoperability: Net::SMPP as SMSC and as ESME, with every PDU checked by Wireshark.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeText } from '../../src/smpp/alphabets.ts'
import { encode } from '../../src/smpp/codec.ts'
import type { OutgoingPdu, Pdu } from '../../src/smpp/commands.ts'
import { acceptSession, connectSession } from '../../src/smpp/open-session.ts'
import { composeReceipt, isReceipt, readReceipt } from '../../src/smpp/receipt.ts'
import { formatRelativeTime } from '../../src/smpp/time.ts'
import { ESM_CLASS_UDHI, encodeConcatenation } from '../../src/smpp/udh.ts'
import { failOnRejection, listener } from '../harness/background.ts'
import { until } from '../harness/until.ts'
import { commandNames, fullestPdu } from './arbitrary-pdu.ts'
import { judgeByWireshark, noNetSmpp, noWireshark, recordingProxy, runPerl } from './foreign-peer.ts'
import { listen } from './raw-peer.ts'
import { readByWireshark } from './wireshark.ts'

test('a Net::SMPP SMSC accepts our bind, our messages and our receipt responses', { skip: noNetSmpp }, async (t) => {
  const smsc = runPerl(t, 'foreign-smsc.pl')
  const { port: smscPort } = await smsc.nextLine()
  const recorder = await recordingProxy(t, Number(smscPort))
  const receipts: Pdu<'deliver_sm'>[] = []
  const session = await connectSession({
    host: '127.0.0.1',
    port: recorder.port,
    bindName: 'bind_transceiver',
    bind: { system_id: 'hulaki', password: 'secret' },
    handlers: {
      deliver_sm: (pdu) => {
        receipts.push(pdu)
        return {}
      },
    },
  })
  const addresses = {
    source_addr_ton: 5,
    source_addr: 'Hulaki',
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: '9779812345678',
  }
  const head = { ...addresses, registered_delivery: 1, validity_period: formatRelativeTime(300) }
  const outcomes = await Promise.all([
    session.submit({ ...head, short_message: gsm('Single: {€}') }),
    session.submit({ ...head, esm_class: ESM_CLASS_UDHI, short_message: part(1, 'First ') }),
    session.submit({ ...head, esm_class: ESM_CLASS_UDHI, short_message: part(2, 'second') }),
    session.submit({ ...head, data_coding: 8, short_message: encodeText('नमस्ते 😀', 'ucs2') ?? assert.fail() }),
  ])
  await until(() => receipts.length === 4)
  assert.deepEqual(await session.drain(), { reason: 'unbound' })

  const ids = outcomes.map((outcome) =>
    outcome.kind === 'answered' && outcome.status === 0 ? outcome.messageId : outcome.kind,
  )
  assert.deepEqual(ids, ['F0001', 'F0002', 'F0003', 'F0004'])
  assert(receipts.every(isReceipt))
  const states = receipts.map(readReceipt).map(({ id, state }) => `${id} ${state}`)
  assert.deepEqual(
    states.sort(),
    ids.map((id) => `${id} DELIVRD`),
  )

  const lines = await smsc.restOfLines()
  assert.deepEqual(lines[0], { command: 'bind_transceiver', system_id: 'hulaki', password: 'secret', status: 0 })
  const { short_message: single, ...submit } = lines.find(({ command }) => command === 'submit_sm') ?? assert.fail()
  assert.deepEqual(submit, {
    command: 'submit_sm',
    status: 0,
    source_addr: 'Hulaki',
    destination_addr: '9779812345678',
    esm_class: 0,
    data_coding: 0,
    validity_period: '000000000500000R',
  })
  const texts = lines.filter(({ command }) => command === 'submit_sm').map(({ short_message }) => short_message)
  assert.equal(single, texts[0])
  assert.deepEqual(texts, [
    '53696e676c653a201b281b651b29',
    '050003c80201466972737420',
    '050003c802027365636f6e64',
    '0928092e0938094d092409470020d83dde00',
  ])
  const confirmed = lines.filter(({ command, status }) => command === 'deliver_sm_resp' && status === 0)
  assert.equal(confirmed.length, 4)
  judgeByWireshark(t, recorder.frames())
})

test('a Net::SMPP ESME binds to our SMSC, submits and accepts the receipt', { skip: noNetSmpp }, async (t) => {
  const submits: Pdu<'submit_sm'>[] = []
  const smscPort = await listen(
    t,
    listener(async (socket) => {
      const session = await acceptSession(socket, {
        onBind: ({ password }) => (password === 'pw' ? { system_id: 'hulaki' } : { status: 0x0e }),
        handlers: {
          submit_sm: (pdu) => {
            submits.push(pdu)
            const receipt = composeReceipt({ id: 'h1', state: 'DELIVRD', submitAt: aMoment, doneAt: aMoment })
            setImmediate(() => failOnRejection(session.deliver(receipt)))
            return { message_id: 'h1' }
          },
        },
      })
    }),
  )
  const recorder = await recordingProxy(t, smscPort)
  const esme = runPerl(t, 'foreign-esme.pl', String(recorder.port))
  assert.deepEqual(await esme.restOfLines(), [
    { system_id: 'hulaki' },
    { status: 0, message_id: 'h1' },
    { short_message: 'id:h1 sub:001 dlvrd:001 submit date:2601020304 done date:2601020304 stat:DELIVRD err:000 text:' },
  ])
  assert.deepEqual(
    submits.map(({ short_message }) => short_message.toString()),
    ['from afar'],
  )
  judgeByWireshark(t, recorder.frames())
})

test('Wireshark decodes every PDU of ours, and detects a broken one', {
  skip: noWireshark,
}, (t) => {
  const pdus = commandNames.flatMap((command) => [
    encode({ command, sequence: 1 }),
    encode({ command, sequence: 2, status: 0x45 }),
    // Without esm_class, whose highest value announces a header that the text does not have.
    encode({ ...fullestPdu(command), esm_class: 0 } as OutgoingPdu),
  ])
  judgeByWireshark(t, pdus)
  const broken = encode({ command: 'submit_sm', sequence: 1 }).subarray(0, 20)
  broken.writeUInt32BE(20)
  assert.match(readByWireshark([broken]).complaints, /SMPP/)
})

const aMoment = new Date('2026-01-02T03:04:00Z')

function gsm(text: string): Buffer {
  return encodeText(text, 'gsm') ?? assert.fail()
}

function part(number: number, text: string): Buffer {
  return Buffer.concat([encodeConcatenation({ reference: 200, total: 2, number }), gsm(text)])
}
