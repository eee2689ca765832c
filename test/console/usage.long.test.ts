// The screen Usage & billing in a real browser, against the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { ownService, type TestService } from '../harness/service.ts'

const HOSTILE = '=<b>Shop</b>\u202e'

test(
  'shows balance and spend, sets the alert, tops up once, filters the ledger, and exports a statement',
  inBrowser,
  async () => {
    const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
    const workspaceId = await makeWorkspace(service, { monthlyCredit: 500 })
    const shop = await makeClient(service, { workspaceId, name: HOSTILE })
    const bank = await makeClient(service, { workspaceId, name: 'Bank' })
    await shop.send()
    await bank.otp()
    await fillDays(service, workspaceId, [shop.id, bank.id])
    const owner = await sitDown(service, { workspaceId })
    const { page } = owner
    const at = `/console/w/${workspaceId}/usage`
    await page.goto(at)
    await page.getByRole('row', { name: /Bank/ }).first().waitFor()
    await page.getByRole('cell', { name: HOSTILE }).first().waitFor()
    await judgeScreen(owner, 'usage')
    assert.equal(await page.getByRole('button', { name: 'Top up' }).count(), 0, 'only operators top up')

    await page.getByRole('button', { name: 'Set alerts' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Alert below (NPR)').fill('50.5 600')
    await page.keyboard.press('Enter')
    await page.getByText('below NPR 600.00, NPR 50.50').waitFor()
    await page.getByText('Low', { exact: true }).waitFor()

    await page.getByRole('link', { name: 'Statements' }).click()
    await page.getByRole('row', { name: /Total/ }).waitFor()
    await judgeScreen(owner, 'usage-months')
    const [statement] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Printable statement' }).click(),
    ])
    await statement.getByRole('heading', { name: 'Statement, November 2026' }).waitFor()
    await statement.getByRole('row', { name: /^Closing balance/ }).waitFor()
    await statement.close()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'usage-2026-11.csv')

    const operator = await sitDown(service)
    await operator.page.goto(`${at}?tab=ledger`)
    await operator.page.getByRole('row', { name: /Monthly credit/ }).waitFor()
    await operator.page.getByRole('button', { name: 'Top up' }).click()
    await operator.page.getByLabel('Amount (NPR)').fill('1,250')
    await operator.page.getByLabel('Note').fill('Invoice 17')
    await operator.page.getByRole('button', { name: 'Add NPR 1,250.00' }).click()
    await operator.page.getByRole('row', { name: /Top-up 1,250\.00/ }).waitFor()
    await operator.page.getByRole('button', { name: 'Type' }).click()
    await operator.page.getByRole('checkbox', { name: 'Messages' }).check()
    await operator.page.waitForURL(/kind=reservation/)
    await operator.page.getByRole('row', { name: /-1\.50/ }).waitFor()
    await judgeScreen(operator, 'usage-ledger')
  },
)

test('an owner requests credit; the operator finds the notice, declines, and tops up the next', inBrowser, async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
  const workspaceId = await makeWorkspace(service, { name: 'Himal Bank', monthlyCredit: 500 })
  const owner = await sitDown(service, { workspaceId })
  const request = async (amount: string, note: string) => {
    await owner.page.goto(`/console/w/${workspaceId}/usage`)
    await owner.page.getByRole('button', { name: 'Request credit' }).click()
    await owner.page.getByLabel('Amount (NPR)').fill(amount)
    await owner.page.getByLabel('Note').fill(note)
    await owner.page.keyboard.press('Enter')
  }
  await request('5,000', HOSTILE)
  await owner.page.getByText('NPR 5,000.00 of credit requested').waitFor()
  await judgeScreen(owner, 'usage-request')
  await owner.page.getByRole('button', { name: 'Withdraw request' }).click()
  await owner.page.getByRole('dialog').getByRole('button', { name: 'Withdraw request' }).click()
  await owner.page.getByText('of credit requested').waitFor({ state: 'detached' })
  await request('4000', 'Festival')

  const { page } = await sitDown(service)
  const openNotice = async () => {
    await page.goto('/console/now')
    await page.getByRole('article').filter({ hasText: 'Himal Bank requests credit' }).waitFor()
    await page.getByRole('link', { name: 'Top up NPR' }).click()
  }
  await openNotice()
  await page.getByText('NPR 4,000.00 of credit requested').waitFor()
  await page.getByText('Festival', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Decline request' }).click()
  await page.getByLabel('Reason').fill('Invoice 17 is unpaid')
  await page.keyboard.press('Enter')
  await page.getByText('The request for NPR 4,000.00 was declined').waitFor()
  await owner.page.goto(`/console/w/${workspaceId}/usage`)
  await owner.page.getByText('Invoice 17 is unpaid').waitFor()
  await request('3000', 'Invoice 17 is paid')
  await owner.page.getByText('NPR 3,000.00 of credit requested').waitFor()
  await openNotice()
  await page.getByRole('button', { name: 'Top up' }).click()
  await page.getByRole('button', { name: 'Add NPR 3,000.00' }).click()
  await page.getByText('of credit requested').waitFor({ state: 'detached' })
  await owner.page.goto(`/console/w/${workspaceId}/usage`)
  await owner.page.getByText('NPR 3,500.00').waitFor()
})

/** A typical month of messages. */
async function fillDays({ db }: TestService, workspaceId: string, clients: string[]): Promise<void> {
  await db.query({
    text: `insert into usage_day (workspace_id, client_id, day, type, messages, segments, cost_e4, refunds, refunded_e4)
      select $1, client, date '2026-11-15' - day, type, 40, 44, (30 + (day * 17) % 40) * 10000 * part, 1, 12000
      from generate_series(0, 29) day, unnest($2::uuid[]) client,
        (values ('transactional', 1.0), ('otp', 0.6), ('promotional', 0.3)) types (type, part)`,
    values: [workspaceId, clients],
    name: undefined,
  })
}
