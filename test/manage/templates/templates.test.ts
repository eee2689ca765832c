// Templates and their review (§2.5).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient, makeWorkspace } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { sharedService } from '../../harness/service.ts'
import { ABSENT, makeTemplate, templateBody } from '../fixtures.ts'

const service = await sharedService()
const now = service.clock.now().toISOString()
const { manage } = service
const workspaceId = await makeWorkspace(service, { templatesRequired: true })
const templates = `/workspaces/${workspaceId}/templates`

test('creates a template as pending', async () => {
  const { status, body } = await manage('POST', templates, templateBody)
  const { id, ...rest } = body
  assert.equal(status, 201)
  const pending = {
    status: 'pending',
    reason: null,
    carrierFields: {},
    createdAt: now,
    reviewedAt: null,
  }
  assert.deepEqual(rest, { ...templateBody, workspaceId, variables: ['number'], ...pending })
  const waiting = (await manage('GET', '/templates?status=pending')).body.items
  assert.ok(waiting.some((it: { id: string }) => it.id === id))
})

test('applies a review to the next send, and can change it', async () => {
  const client = await makeClient(service, { workspaceId })
  const id = await makeTemplate(service, workspaceId)
  const send = () => client.send({ text: undefined, templateId: id, variables: { number: 7 } })
  assertRefused(await send(), 403, 'template_required')
  const approved = await manage('POST', `/templates/${id}/approve`)
  assert.deepEqual([approved.status, approved.body.status, approved.body.reviewedAt], [200, 'approved', now])
  assert.equal((await send()).status, 200)
  const rejected = await manage('POST', `/templates/${id}/reject`, { reason: 'Names a rival' })
  assert.deepEqual([rejected.status, rejected.body.status, rejected.body.reason], [200, 'rejected', 'Names a rival'])
  assertRefused(await send(), 403, 'template_required')
})

test('lists templates by status', async () => {
  const other = await makeWorkspace(service)
  const ids = [await makeTemplate(service, other), await makeTemplate(service, other)]
  await manage('POST', `/templates/${ids[0]}/approve`)
  const listed = async (query: string) =>
    (await manage('GET', `/workspaces/${other}/templates${query}`)).body.items.map((it: { id: string }) => it.id)
  assert.deepEqual(await listed(''), [ids[1], ids[0]])
  assert.deepEqual(await listed('?status=approved'), [ids[0]])
  assert.deepEqual(await listed('?status=rejected'), [])
})

const refused: [what: string, changes: object, path: unknown[]][] = [
  ['no text', { text: '' }, ['text']],
  ['text beyond all length', { text: 'x'.repeat(1001) }, ['text']],
  ['a NUL in the text (D4)', { text: 'a\0b' }, ['text']],
  ['braces that are no variable', { text: 'Hello {{}}' }, ['text']],
  ['two variables without text between them', { text: 'Hello {{a}}{{b}}' }, ['text']],
  ['nothing but a variable', { text: '{{all}}' }, ['text']],
  ['a type that is none', { type: 'greeting' }, ['type']],
  ['no name', { name: undefined }, ['name']],
]
for (const [what, changes, path] of refused) {
  test(`400: ${what}`, async () => {
    assertRefused(await manage('POST', templates, { ...templateBody, ...changes }), 400, 'invalid_request', path)
  })
}

test('rejects a rejection without a reason, and an unknown status, with 400', async () => {
  const id = await makeTemplate(service, workspaceId)
  assertRefused(await manage('POST', `/templates/${id}/reject`, {}), 400, 'invalid_request', ['reason'])
  assertRefused(await manage('GET', '/templates?status=new'), 400, 'invalid_request', ['status'])
})

test('answers 404 for a missing template or workspace', async () => {
  assertRefused(await manage('POST', `/workspaces/${ABSENT}/templates`, templateBody), 404, 'not_found')
  assertRefused(await manage('GET', `/workspaces/${ABSENT}/templates`), 404, 'not_found')
  assertRefused(await manage('POST', `/templates/${ABSENT}/approve`), 404, 'not_found')
  assertRefused(await manage('POST', `/templates/${ABSENT}/reject`, { reason: 'x' }), 404, 'not_found')
})
