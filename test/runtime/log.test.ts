// The log: structured, and blind for secrets even where somebody hands it one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/runtime/log.ts'

test('what must never be logged is hidden, wherever it hangs', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  const secret = 'svc_live_0123456789'
  log.info({ apiKey: secret, headers: { 'x-api-key': secret, authorization: `Bearer ${secret}` } }, 'one')
  log.info(
    { request: { headers: { 'x-api-key': secret }, body: { text: secret } }, carrier: { password: secret } },
    'two',
  )
  assert.equal(lines.length, 2)
  assert.ok(!lines.join().includes(secret))
})
