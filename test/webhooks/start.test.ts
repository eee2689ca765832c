// An unusable CA file stops the start with a clear error (D31).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startWebhookService } from './webhook-service.ts'

const notCertificates = fileURLToPath(import.meta.url)

for (const [title, file] of Object.entries({ missing: '/nowhere/ca.pem', 'no certificate': notCertificates })) {
  test(`D31: a CA file that is ${title} stops the start`, async () => {
    const start = startWebhookService({ env: { HULAKI_WEBHOOK_CA_FILE: file } })
    await assert.rejects(start, (error: Error) => {
      assert.match(error.message, /^the certificates of HULAKI_WEBHOOK_CA_FILE cannot be read from .* \(.*\)$/)
      return error.message.includes(file)
    })
  })
}

test('exports metrics of the queue and of attempts', async () => {
  const service = await startWebhookService()
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const names = [
    'attempts_total',
    'attempt_seconds_count',
    'attempts_in_progress',
    'queue_deliveries',
    'queue_oldest_due_seconds',
  ]
  for (const name of names) assert.match(text, new RegExp(`^(# TYPE )?hulaki_webhook_${name}`, 'm'))
})
