// Tests a text against the templates (§4.1) like a send.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approveTemplate, makeClient, makeWorkspace } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { sharedService } from '../../harness/service.ts'
import { ABSENT } from '../fixtures.ts'

const service = await sharedService()
const { manage } = service
const rate = { transactional: 1.5, otp: 1.2, promotional: 0.7 }
const workspaceId = await makeWorkspace(service, { templatesRequired: true, rate })
const ask = (body: object, workspace = workspaceId) => manage('POST', `/workspaces/${workspace}/templates/match`, body)

const order = await approveTemplate(service, workspaceId, {
  name: 'Order',
  text: 'Dear {{name}}, your order {{number}} is on its way, {{name}}',
})

test('matches a text like a send, with encoding, segments and cost (§4.1)', async () => {
  const text = 'Dear Asha, your order 17 is on its way, Asha'
  const measured = { encoding: 'GSM7', segments: 1, fits: true, cost: 1.5, isTemplateRequired: true }
  assert.deepEqual((await ask({ text })).body, { ...measured, template: { id: order, name: 'Order' }, nearest: null })
  const client = await makeClient(service, { workspaceId })
  assert.equal((await client.send({ text })).status, 200)
  const devanagari = (await ask({ text: 'Dear आशा, your order 17 is on its way, आशा' })).body
  assert.deepEqual([devanagari.encoding, devanagari.segments, devanagari.template?.id], ['UCS2', 1, order])
  const long = (await ask({ text: `Dear Asha, your order ${'7'.repeat(100)} is on its way, Asha ${'x'.repeat(60)}` }))
    .body
  assert.deepEqual([long.segments, long.cost], [2, 3])
})

test('returns the closest template with the first difference, like the error of a send (§4.1)', async () => {
  const text = 'Dear Asha, your parcel 17 is on its way, Asha'
  const { template, nearest } = (await ask({ text })).body
  assert.equal(template, null)
  const { difference, ...named } = nearest
  assert.deepEqual(named, { id: order, name: 'Order', status: 'approved', reason: null })
  assert.equal(text.slice(difference.position, difference.position + 6), 'parcel')
  const client = await makeClient(service, { workspaceId })
  const refused = await client.send({ text })
  assertRefused(refused, 403, 'template_required')
  assert.deepEqual(refused.body.details, { templateId: order, name: 'Order', status: 'approved', difference })
})

test('uses the templates and the price of the type, and applies a review immediately (§4.1)', async () => {
  const text = 'Half price on Friday'
  assert.equal((await ask({ text, type: 'promotional' })).body.nearest, null)
  const made = await manage('POST', `/workspaces/${workspaceId}/templates`, {
    name: 'Sale',
    type: 'promotional',
    text: 'Half price on {{day}}',
  })
  const pending = (await ask({ text, type: 'promotional' })).body
  const sale = { id: made.body.id, name: 'Sale' }
  assert.deepEqual([pending.template, pending.cost], [null, 0.7])
  assert.deepEqual(pending.nearest, { ...sale, status: 'pending', reason: null, difference: null })
  await manage('POST', `/templates/${made.body.id}/approve`)
  assert.deepEqual((await ask({ text, type: 'promotional' })).body.template, sale)
  assert.equal((await ask({ text })).body.template, null, 'of another type')
  await manage('POST', `/templates/${made.body.id}/reject`, { reason: 'Say whose price' })
  const { nearest } = (await ask({ text, type: 'promotional' })).body
  assert.deepEqual(nearest, { ...sale, status: 'rejected', reason: 'Say whose price', difference: null })
})

test('reports a text that is too long, without a match (§8.4)', async () => {
  const { body } = await ask({ text: 'नमस्ते '.repeat(60) })
  assert.deepEqual([body.fits, body.segments, body.template, body.nearest], [false, 7, null, null])
})

test('returns the match also if templates are not required', async () => {
  const free = await makeWorkspace(service)
  const { body } = await ask({ text: 'Anything' }, free)
  assert.deepEqual([body.isTemplateRequired, body.template, body.nearest], [false, null, null])
})

test('rejects a missing text, control characters and an unknown type with 400, and a missing workspace with 404', async () => {
  for (const body of [{}, { text: '' }, { text: 'x'.repeat(2001) }, { text: 'a\u0000b' }, { text: 'a\ud800b' }])
    assertRefused(await ask(body), 400, 'invalid_request', ['text'])
  assertRefused(await ask({ text: 'Hello', type: 'letter' }), 400, 'invalid_request', ['type'])
  assertRefused(await ask({ text: 'Hello' }, ABSENT), 404, 'not_found')
})

test('lists the variables of a template once, in order', async () => {
  const { items } = (await manage('GET', `/workspaces/${workspaceId}/templates?status=approved`)).body
  assert.deepEqual(items.find((it: { id: string }) => it.id === order)?.variables, ['name', 'number'])
})
