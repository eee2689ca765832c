// A receipt is read in time that grows with its length alone, whatever somebody wrote into it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode, encode } from '../../src/smpp/codec.ts'
import { readsLikeReceipt } from '../../src/smpp/receipt.ts'

test('64 KiB that begin like a receipt again and again are read soon', () => {
  const message_payload = Buffer.from('id submit date'.repeat(4000), 'latin1')
  const pdu = decode(encode({ command: 'deliver_sm', sequence: 1, tlvs: { message_payload } }))
  assert(pdu.command === 'deliver_sm')
  const startedAt = performance.now()
  readsLikeReceipt(pdu)
  assert(performance.now() - startedAt < 500)
})
