// The time to read a receipt is linear in its length, whatever its content.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode, encode } from '../../src/smpp/codec.ts'
import { readsLikeReceipt } from '../../src/smpp/receipt.ts'

test('64 KiB of repeated receipt starts are read quickly', () => {
  const message_payload = Buffer.from('id submit date'.repeat(4000), 'latin1')
  const pdu = decode(encode({ command: 'deliver_sm', sequence: 1, tlvs: { message_payload } }))
  assert(pdu.command === 'deliver_sm')
  const startedAt = performance.now()
  readsLikeReceipt(pdu)
  assert(performance.now() - startedAt < 500)
})
