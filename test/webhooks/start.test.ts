// An unusable CA file stops the start with a clear error (D31).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startPostingService } from './posting-service.ts'

const notCertificates = fileURLToPath(import.meta.url)

for (const [title, file] of Object.entries({ missing: '/nowhere/ca.pem', 'no certificate': notCertificates })) {
  test(`D31: a CA file that is ${title} stops the start`, async () => {
    const start = startPostingService({ env: { HULAKI_WEBHOOK_CA_FILE: file } })
    await assert.rejects(start, (fault: Error) => {
      assert.match(fault.message, /^the certificates of HULAKI_WEBHOOK_CA_FILE cannot be read from .* \(.*\)$/)
      return fault.message.includes(file)
    })
  })
}

test('exports metrics of the queue and of postings', async () => {
  const service = await startPostingService()
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const names = [
    'postings_total',
    'posting_seconds_count',
    'postings_under_way',
    'queue_deliveries',
    'queue_oldest_due_seconds',
  ]
  for (const name of names) assert.match(text, new RegExp(`^(# TYPE )?hulaki_webhook_${name}`, 'm'))
})
