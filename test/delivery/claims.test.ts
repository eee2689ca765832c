// Claims and their ends, one process by hand: what is fenced, what is looked up, what counts as work.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expireWaiting } from '../../src/actions/expire-messages.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { startTestService } from '../harness/service.ts'

const service = await startTestService({ env: { HULAKI_ROLES: 'api' } })
const sender = await makeSender(service)
const carrierId = await addCarrier(service, 9)
await addRoute(service, carrierId)
let last = 0

const nextNumber = () => `98${String(43_000_000 + ++last).padStart(8, '0')}`
const rows = <Row>(text: string, ...values: unknown[]) => service.db.query<Row>({ text, values, name: undefined })

async function sendOne(body: Record<string, unknown> = {}): Promise<string> {
  const sent = await sender.send({ to: nextNumber(), ...body })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  return sent.body.messageId
}

test('D14: a message that is younger than its id is ended when its own time is up, and counts as work only then', async () => {
  const id = await sendOne({ type: 'otp' })
  await rows(`update message set created_at = created_at + interval '5 s' where id = $1`, id)
  await service.advance(301)
  assert.equal(await expireWaiting(service.house), 0)
  assert.equal((await sender.get(id)).status, 'queued')
  await service.advance(5)
  assert.equal(await expireWaiting(service.house), 1)
  assert.equal((await sender.get(id)).status, 'failed')
  assert.equal(await expireWaiting(service.house), 0)
})
