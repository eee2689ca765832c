// API clients in a real browser, against the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { getBalance, makeClient } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'

const HOSTILE = '<b>Bank</b>\u202e"><img src=x>'

test(
  'creates a client, shows its secrets once, rotates its key, edits it, and disables it after its name is typed',
  inBrowser,
  async () => {
    const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
    const { workspaceId } = await makeClient(service, { name: HOSTILE, mode: 'test', testOtpCode: '123456' })
    const reader = await sitDown(service, { workspaceId })
    const { page } = reader
    await page.goto(`/console/w/${workspaceId}/clients`)
    await page.getByText(HOSTILE).waitFor()
    await judgeScreen(reader, 'clients')

    // With the keyboard only.
    await page.getByRole('button', { name: 'Create client' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Web shop')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Daraz')
    await page.getByText('Daraz: 482913 is your verification code').waitFor()
    await page.waitForURL(/make=client/)
    await judgeScreen(reader, 'client-new')
    await page.keyboard.press('Enter')
    await page.getByText('Copy it now').waitFor()
    const first = await page.getByRole('button', { name: /^svc_live_/ }).innerText()
    assert.equal((await getBalance(service, first)).status, 200)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.waitForURL(/\/clients\/[0-9a-f-]{36}$/)
    assert(!(await page.content()).includes(first), 'the secret is removed from the page')

    await page.getByRole('button', { name: 'Rotate key' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('Web')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click()
    assert.equal((await getBalance(service, first)).status, 200)
    await page.getByRole('dialog').getByRole('textbox').fill('Web shop')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click()
    const second = await page.getByRole('button', { name: /^svc_live_/ }).innerText()
    assert.deepEqual(
      [(await getBalance(service, first)).status, (await getBalance(service, second)).status],
      [401, 200],
    )
    await page.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'Rotate webhook secret' }).click()
    await page.getByRole('dialog').getByRole('spinbutton').fill('200')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate webhook secret' }).click()
    await page.locator('dialog [aria-invalid=true]').waitFor()
    await page.getByRole('dialog').getByRole('spinbutton').fill('48')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate webhook secret' }).click()
    await page.getByRole('button', { name: /^whsec_/ }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Old webhook secret valid until').waitFor()

    const clientId = new URL(page.url()).pathname.split('/').at(-1)
    const read = async () => (await service.manage('GET', `/clients/${clientId}`)).body
    await page.getByLabel('Brand', { exact: true }).fill('Daraz NP')
    await page.getByLabel('Settings').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    assert.equal((await read()).brandName, 'Daraz NP')

    // D43: the value of the operator is shown, and a looser value is rejected at its field.
    await service.manage('PATCH', `/clients/${clientId}`, {
      restrictions: { dailyCap: 100, types: ['otp', 'transactional'] },
    })
    await page.reload()
    await page.getByText('Set by an operator: 100.').waitFor()
    await judgeScreen(reader, 'client')
    const restrictions = page.getByLabel('Restrictions')
    assert.equal(await restrictions.getByLabel('promotional').count(), 0)
    await page.getByLabel('Daily limit').fill('5000')
    await page.getByLabel('Allowed prefixes').fill('+97798\n+97797')
    await restrictions.getByRole('button', { name: 'Save' }).click()
    await restrictions.getByText('The operator has set dailyCap').waitFor()
    await page.getByLabel('Daily limit').fill('50')
    await restrictions.getByRole('button', { name: 'Save' }).click()
    await restrictions.getByText('Saved.').waitFor()
    const { dailyCap, numberPrefixes } = (await read()).restrictions
    assert.deepEqual([dailyCap, numberPrefixes], [50, ['+97798', '+97797']])

    await page.getByRole('button', { name: 'Disable client' }).click()
    await page.getByText('403 client_disabled').waitFor()
    await page.getByRole('dialog').getByRole('textbox').fill('Web shop')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Enable client' }).waitFor()
    assert.equal((await getBalance(service, second)).status, 403)
    await page.getByRole('button', { name: 'Enable client' }).click()
    await page.getByRole('button', { name: 'Disable client' }).waitFor()
    assert.equal((await getBalance(service, second)).status, 200)
  },
)
