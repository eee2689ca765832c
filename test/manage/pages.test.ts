// Pages of lists: every item once, newest first, also while items are added.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient, makeOwner, makeWorkspace } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { ownService } from '../harness/service.ts'
import { makeTemplate } from './fixtures.ts'

const service = await ownService()
const { manage } = service
const workspaceId = await makeWorkspace(service)

const lists: [path: string, add: () => Promise<unknown>][] = [
  ['/workspaces', () => makeWorkspace(service)],
  ['/audit-log', () => makeWorkspace(service)],
  [`/workspaces/${workspaceId}/clients`, () => makeClient(service, { workspaceId })],
  [`/workspaces/${workspaceId}/templates`, () => makeTemplate(service, workspaceId)],
  ['/templates', () => makeTemplate(service, workspaceId)],
  [`/workspaces/${workspaceId}/owner-tokens`, () => makeOwner(service, workspaceId)],
  [`/workspaces/${workspaceId}/ledger`, () => manage('POST', `/workspaces/${workspaceId}/credits`, { amount: 1 })],
  [`/workspaces/${workspaceId}/audit-log`, () => makeClient(service, { workspaceId })],
]

async function idsOf(path: string): Promise<string[]> {
  return (await manage('GET', `${path}?limit=200`)).body.items.map((it: { id: string }) => it.id)
}

for (const [path, add] of lists) {
  const name = path.replace(workspaceId, '{id}')

  test(`${name}: pages of any size join to the whole list`, async () => {
    for (let times = 0; times < 5; times++) await add()
    const whole = await idsOf(path)
    assert.deepEqual(whole, whole.toSorted().toReversed())
    for (const limit of [1, 2, whole.length]) {
      const walked: string[] = []
      for (let cursor = ''; ; ) {
        const { items, next } = (await manage('GET', `${path}?limit=${limit}${cursor}`)).body
        walked.push(...items.map((it: { id: string }) => it.id))
        if (next === null) break
        assert.equal(items.length, limit)
        cursor = `&cursor=${next}`
      }
      assert.deepEqual(walked, whole)
    }
  })

  test(`${name}: a new item moves no other item`, async () => {
    const whole = await idsOf(path)
    const first = (await manage('GET', `${path}?limit=2`)).body
    await add()
    const second = (await manage('GET', `${path}?limit=2&cursor=${first.next}`)).body
    const seen = [...first.items, ...second.items].map((it: { id: string }) => it.id)
    assert.deepEqual(seen, whole.slice(0, 4))
  })
}

test('rejects an invalid limit or cursor with 400', async () => {
  for (const limit of ['0', '201', 'x', '1.5', '-1']) {
    assertRefused(await manage('GET', `/workspaces?limit=${limit}`), 400, 'invalid_request', ['limit'])
  }
  assertRefused(await manage('GET', '/workspaces?cursor=last'), 400, 'invalid_request', ['cursor'])
})
