// API clients in a real browser, against the real service.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { holdTimers, inBrowser, judgeScreen } from '../harness/browser.ts'
import { getBalance, makeClient } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'

const HOSTILE = '<b>Bank</b>\u202e"><img src=x>'

test(
  'creates a client, shows its secrets once, replaces its key without an outage, edits it, and disables it after its name is typed',
  inBrowser,
  async () => {
    const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
    const { workspaceId } = await makeClient(service, { name: HOSTILE, mode: 'test', testOtpCode: '123456' })
    const reader = await sitDown(service, { workspaceId })
    const { page } = reader
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    // The notice of a copy stays.
    await holdTimers(page, { fromMs: 1_500, toMs: 1_500 })
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
    // Only Done closes the secrets; the first Copy button has the focus.
    const secrets = page.getByRole('dialog', { name: 'Save your API key' })
    await secrets.waitFor()
    const first = await secrets.locator('code').first().innerText()
    assert.equal((await getBalance(service, first)).status, 200)
    await secrets
      .getByRole('button', { name: /Copy\s*API key/ })
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.press('Enter')
    await secrets.getByRole('button', { name: /Copied\s*API key/ }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), first)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    assert.equal(await secrets.locator('code').first().innerText(), first)
    const download = page.waitForEvent('download')
    await secrets.getByRole('link', { name: 'Download .env' }).click()
    const env = readFileSync(await (await download).path(), 'utf8')
    assert.match(env, new RegExp(`^HULAKI_API_KEY=${first}\nHULAKI_WEBHOOK_SECRET=whsec_\\S+\n$`))
    await judgeScreen(reader, 'client-secrets')
    await page.getByRole('button', { name: 'Done' }).click()
    await page.waitForURL(/\/clients\/[0-9a-f-]{36}$/)
    await secrets.waitFor({ state: 'detached' })
    assert(!(await page.content()).includes(first), 'the secret is removed from the page')

    // A second key works beside the first; the last key cannot be revoked.
    const keys = page.getByRole('region', { name: 'API keys' })
    await page.getByText('Replace a key without an outage').waitFor()
    assert.equal(await keys.getByRole('button', { name: 'Revoke' }).count(), 0)
    await page.getByRole('button', { name: 'Add key' }).click()
    const added = await page.getByRole('dialog', { name: 'New API key' }).locator('code').innerText()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Two keys are active').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add key' }).getAttribute('aria-disabled'), 'true')
    assert.deepEqual([(await getBalance(service, first)).status, (await getBalance(service, added)).status], [200, 200])
    await judgeScreen(reader, 'client-keys')
    await keys.getByRole('button', { name: `Revoke ${first.slice(0, 15)}` }).click()
    const revoke = page.getByRole('dialog', { name: 'Revoke key' })
    await revoke.getByText('The other key keeps working.').waitFor()
    await revoke.getByRole('textbox').fill('Web shop')
    await revoke.getByRole('button', { name: 'Revoke key' }).click()
    await revoke.waitFor({ state: 'detached' })
    await page.getByText('Replace a key without an outage').waitFor()
    assert.deepEqual([(await getBalance(service, first)).status, (await getBalance(service, added)).status], [401, 200])

    // A key that another person added meanwhile: the limit is explained, and both keys appear.
    const clientId = new URL(page.url()).pathname.split('/').at(-1)
    assert.equal((await service.manage('POST', `/clients/${clientId}/keys`)).status, 201)
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByText('Revoke one of the keys first.').waitFor()
    await page.getByText('Two keys are active').waitFor()

    await page.getByRole('button', { name: 'Rotate key' }).click()
    await page.getByRole('dialog').getByText('All keys stop working immediately').waitFor()
    await page.getByRole('dialog').getByRole('textbox').fill('Web')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click()
    assert.equal((await getBalance(service, added)).status, 200)
    await page.getByRole('dialog').getByRole('textbox').fill('Web shop')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click()
    const second = await page.getByRole('dialog', { name: 'New API key' }).locator('code').innerText()
    assert.deepEqual(
      [(await getBalance(service, added)).status, (await getBalance(service, second)).status],
      [401, 200],
    )
    await page.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'Rotate webhook secret' }).click()
    await page.getByRole('dialog').getByRole('spinbutton').fill('200')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate webhook secret' }).click()
    await page.locator('dialog [aria-invalid=true]').waitFor()
    await page.getByRole('dialog').getByRole('spinbutton').fill('48')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate webhook secret' }).click()
    await page.locator('code', { hasText: /^whsec_/ }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Old webhook secret valid until').waitFor()

    const read = async () => (await service.manage('GET', `/clients/${clientId}`)).body
    await page.getByLabel('Brand', { exact: true }).fill('Daraz NP')
    await page.getByLabel('Settings').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Client updated').waitFor()
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
    await page.getByRole('status').getByText('Client updated').waitFor()
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
