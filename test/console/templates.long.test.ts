// The screen Templates in a real browser, against the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { approveTemplate, makeWorkspace } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'

const HOSTILE = `<script>alert(1)</script>\u202e${'w'.repeat(80)}`.slice(0, 100)

test(
  'writes a template with variables and price, lists its review, and tests a message against it',
  inBrowser,
  async () => {
    const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
    const workspaceId = await makeWorkspace(service, { templatesRequired: true })
    await approveTemplate(service, workspaceId, {
      name: 'Order',
      text: 'Dear {{name}}, your order {{number}} is on its way.',
    })
    const rejected = await approveTemplate(service, workspaceId, {
      name: HOSTILE,
      text: `Now <b>{{what}}</b> ${'x'.repeat(900)}`,
    })
    await service.manage('POST', `/templates/${rejected}/reject`, { reason: 'Say which shop it is from' })
    const reader = await sitDown(service, { workspaceId })
    const { page } = reader
    await page.goto(`/console/w/${workspaceId}/templates`)
    await page.getByText(HOSTILE).waitFor()
    await judgeScreen(reader, 'templates')

    await page.getByRole('button', { name: 'New template' }).first().focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Name').fill('Bill')
    const text = page.getByLabel('Text', { exact: true })
    await text.fill('Bill {{number}}{{name}} is due')
    await page.getByText('Put fixed text between two variables.').waitFor()
    await text.fill('Bill {{number}} of {{amount}} is due')
    await page.getByText(/^GSM-7 · 1 segment · 28 characters · NPR 1\.50$/).waitFor()
    await page.getByLabel('amount').fill('रु १२०')
    await page.getByText(/^UCS-2 · 1 segment/).waitFor()
    await page.getByText('non-GSM characters:').waitFor()
    await judgeScreen(reader, 'templates-editor')
    await page.getByRole('button', { name: 'Submit for review' }).click()
    const bill = page.getByRole('row', { name: /Bill In review/ })
    await bill.waitFor()

    await page.getByRole('button', { name: 'rejected' }).click()
    await page.waitForURL(/status=rejected/)
    await bill.waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByText('Say which shop it is from').waitFor()
    await judgeScreen(reader, 'templates-shown')
    await page.keyboard.press('Escape')
    assert.equal(new URL(page.url()).searchParams.get('open'), null)

    await page.getByRole('link', { name: 'Check a text' }).click()
    await page.getByLabel('Message text').fill('Dear Asha, your parcel 17 is on its way.')
    await page.getByRole('button', { name: 'Check' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Closest match:').waitFor()
    assert.equal(await page.locator('mark').textContent(), 'parcel')
    await judgeScreen(reader, 'templates-match')
    await page.getByLabel('Message text').fill('Dear Asha, your order 17 is on its way.')
    await page.getByRole('button', { name: 'Check' }).click()
    await page
      .getByText('Matches', { exact: true })
      .or(page.getByText(/^Matches Order/))
      .first()
      .waitFor()
  },
)
