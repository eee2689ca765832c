// The screen Templates without a browser: the real bundle, against the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTemplate } from '../../src/domain/templates/template.ts'
import { render } from '../../ui/templates/render.ts'
import { approveTemplate, makeWorkspace } from '../harness/client.ts'
import { glance } from '../harness/readers.ts'
import { sharedService } from '../harness/service.ts'

test('lists a template with its review status, and opens it with text, variables and reason', async () => {
  const service = await sharedService()
  const workspaceId = await makeWorkspace(service, { templatesRequired: true })
  const id = await approveTemplate(service, workspaceId, { name: 'Order', text: 'Your order {{number}} is on its way' })
  await service.manage('POST', `/templates/${id}/reject`, { reason: 'Say which shop it is from' })
  const page = await glance(service, `/console/w/${workspaceId}/templates`, { workspaceId })
  await page.until('Order')
  await page.until('Rejected')
  await page.close()
  const opened = await glance(service, `/console/w/${workspaceId}/templates?open=${id}`, { workspaceId })
  await opened.until('Say which shop it is from')
  await opened.until('Duplicate')
  await opened.close()
})

test('counts a template with the sample values, or with the names of its variables', () => {
  const parsed = parseTemplate('Dear {{ name }}, order {{number}}: {{name}}')
  assert.ok(parsed.ok)
  assert.equal(render(parsed.template, { number: '17' }), 'Dear name, order 17: name')
  assert.equal(render(parsed.template, { name: 'Asha', number: '' }), 'Dear Asha, order number: Asha')
})
