// The cache of compiled templates: an eviction for one batch does not affect the templates of another.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TemplateCache } from '../../../src/actions/templates/template-cache.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { approveTemplate, makeWorkspace } from '../../harness/client.ts'
import { ownService } from '../../harness/service.ts'

test('a template cache with room for one set serves two concurrent batches', async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
  const ids = await Promise.all([1, 2, 3].map(() => makeWorkspace(service)))
  for (const id of ids) await approveTemplate(service, id, { text: 'Order {{number}} is here' })
  const revisions = await service.db.query<{ workspaceId: string; templatesRevision: number }>(sql`
    select id as "workspaceId", templates_revision as "templatesRevision" from workspace order by id`)
  const [first, second, third] = revisions
  assert.ok(first && second && third)
  const templateCache = new TemplateCache({ maxTemplates: 1 })
  await service.db.transaction((tx) => templateCache.getTemplates(tx, [first]))
  const slow = service.db.transaction(async (tx) => {
    const asleep = tx.query(sql`select pg_sleep(0.3)`)
    const taken = templateCache.getTemplates(tx, [first, second])
    await asleep
    return taken
  })
  await service.db.transaction((tx) => templateCache.getTemplates(tx, [third]))
  const taken = await slow
  assert.deepEqual([...taken.keys()].sort(), [first.workspaceId, second.workspaceId].sort())
  for (const { templates } of taken.values()) assert.equal(templates.size, 1)
})
