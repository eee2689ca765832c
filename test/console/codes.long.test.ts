// The screen Verify in a real browser, against the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'

const HOSTILE = '<img src=x onerror=alert(1)>\u202eevil'

test('shows codes by day and prefix and fraud findings, and edits the allow list by keyboard', inBrowser, async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
  const workspaceId = await makeWorkspace(service)
  await fillDays(service, workspaceId)
  const client = await makeClient(service, { workspaceId, name: HOSTILE, restrictions: { pumpingGuard: 'block' } })
  for (let index = 0; index < 8; index++) await client.otp({ to: `+97798511110${20 + index}` })
  const watching = await makeClient(service, { workspaceId, name: 'Web shop' })
  for (let index = 0; index < 7; index++) await watching.otp({ to: `+97798622220${20 + index}` })
  const reader = await sitDown(service, { workspaceId })
  const { page } = reader
  await page.goto(`/console/w/${workspaceId}/codes`)
  await page.getByRole('row', { name: /\+977985/ }).waitFor()
  await page.getByText('OTPs by day', { exact: true }).first().waitFor()
  await judgeScreen(reader, 'codes')
  await page.getByRole('button', { name: '7 days' }).click()
  await page.waitForURL(/days=7/)
  await page.getByRole('link', { name: 'Fraud guard' }).click()
  const finding = page.getByRole('row', { name: /\+977985111xxxx/ })
  await finding.waitFor()
  assert.match((await finding.textContent()) ?? '', /Blocked 3/)
  await page.getByText('would have blocked 2').waitFor()
  await page.getByText(HOSTILE).waitFor()
  await judgeScreen(reader, 'codes-guard')
  await page.getByRole('link', { name: 'Allow list' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('API client').selectOption({ label: 'Web shop' })
  await page.getByLabel('Number or prefix', { exact: true }).focus()
  await page.keyboard.type('97798511')
  await page.keyboard.press('Enter')
  await page.getByText('Must be the beginning of an E.164 number').waitFor()
  await page.keyboard.press('Home')
  await page.keyboard.type('+')
  await page.keyboard.press('Enter')
  await page.getByRole('cell', { name: '+97798511', exact: true }).waitFor()
  await judgeScreen(reader, 'codes-allowed')
  await page.getByRole('button', { name: 'Remove +97798511' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('The allow list is empty.').waitFor()
})

/** A typical month of codes. */
async function fillDays({ db }: Awaited<ReturnType<typeof ownService>>, workspaceId: string): Promise<void> {
  await db.query({
    text: `insert into otp_day (workspace_id, day, operator_prefix, stage, codes)
      select $1, date '2026-11-15' - day, prefix, stage, (400 + (day * 37) % 150) * share * part
      from generate_series(0, 29) day,
        (values ('', 1.0), ('+977984', 0.4), ('+977986', 0.3), ('+977980', 0.2), ('+977974', 0.1)) prefixes (prefix, part),
        (values ('sent', 1.0), ('delivered', 0.93), ('verified', 0.71)) stages (stage, share)`,
    values: [workspaceId],
    name: undefined,
  })
}
