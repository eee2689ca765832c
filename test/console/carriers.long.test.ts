// Carriers in a real browser, against the real service: presets, custom HTTP, settings, prices and packet captures.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inBrowser, judgeScreen } from '../harness/browser.ts'
import { freePort } from '../harness/free-port.ts'
import { ALLOWED, addHttpCarrier, describe, startProvider } from '../harness/http-carrier.ts'
import { sitDown } from '../harness/readers.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const port = await freePort()
const service = await ownService({
  env: { ...ALLOWED, HULAKI_ROLES: 'api,delivery', PORT: String(port), HULAKI_PUBLIC_URL: `http://127.0.0.1:${port}` },
})
const { manage } = service
const smsc = await startSmsc()
const carrierId = await addCarrier(service, smsc.port, { name: 'Everest' })
await addRoute(service, carrierId)
const sender = await makeSender(service)
const provider = await startProvider()
after(() => provider.close())
await service.settle()

/** The third step of a new carrier, with its ID in the address. */
const TEST_STEP = /\/carriers\/new\?step=test&carrier=([0-9a-f-]{36})$/

test('finds a provider by text and keys, and Back returns to the providers', inBrowser, async () => {
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto('/console/carriers')
  await page
    .getByRole('row', { name: /Everest/ })
    .first()
    .waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('Add carrier')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/carriers\/new$/)
  await page.getByRole('link', { name: 'SMPP' }).waitFor()
  const cards = page.getByRole('main').getByRole('list').nth(1).getByRole('link')
  assert.match((await cards.first().textContent()) ?? '', /SMPP/)
  assert.match((await cards.last().textContent()) ?? '', /Custom HTTP/)
  await judgeScreen(reader, 'new-carrier')
  await page.keyboard.press('/')
  await page.keyboard.type('nepal')
  await page.waitForURL(/find=nepal/)
  await until(async () => (await cards.count()) === 2)
  await page.keyboard.press('ArrowDown')
  await page.locator('a:focus', { hasText: 'Sparrow SMS' }).waitFor()
  await page.keyboard.press('ArrowRight')
  await page.locator('a:focus', { hasText: 'Aakash SMS' }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await page.waitForURL(/step=connection&provider=sparrow$/)
  await page.reload()
  await page.getByRole('heading', { name: 'Connect Sparrow SMS' }).waitFor()
  await page.goBack()
  await page.waitForURL(/find=nepal$/)
  await page.getByLabel('Find a provider').fill('no such provider')
  await page.getByText('No providers match your search.').waitFor()
  await judgeScreen(reader, 'new-carrier-none')
  await page.getByRole('button', { name: 'Clear search' }).click()
  await page.getByRole('link', { name: 'Twilio' }).waitFor()
  // A step without its carrier starts from the beginning.
  await page.goto('/console/carriers/new?step=route')
  await page.getByRole('heading', { name: 'Choose a provider' }).waitFor()
  await page.context().close()
})

test(
  'adds an SMPP carrier: five fields, a test step by step, and a route with the resulting order',
  inBrowser,
  async () => {
    const own = await startSmsc()
    const reader = await sitDown(service)
    const { page } = reader
    await page.goto('/console/carriers')
    await page.getByRole('link', { name: 'Add carrier' }).click()
    await page.getByRole('link', { name: 'SMPP' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Sagarmatha')
    assert.equal(await page.getByLabel('Window').isVisible(), false, 'rare settings are folded')
    await judgeScreen(reader, 'new-carrier-smpp')
    await page.getByText('Advanced').click()
    await page.getByLabel('Window').fill('0')
    await page.getByText('Advanced').click()
    await page.getByLabel('Window').waitFor({ state: 'hidden' })
    await page.getByLabel('Host').fill('127.0.0.1')
    await page.getByLabel('Port').fill(String(own.port))
    await page.getByLabel('System ID').fill('hulaki')
    await page.getByLabel('Password').fill('secret')
    await page.keyboard.press('Enter')
    // The error is at a folded field, which opens.
    await page.locator('input[aria-invalid=true]').waitFor()
    await judgeScreen(reader, 'new-carrier-smpp-fault')
    await page.getByLabel('Window').fill('10')
    await page.keyboard.press('Enter')
    await page.waitForURL(TEST_STEP)
    const [, id] = TEST_STEP.exec(page.url()) ?? []
    await service.settle()
    await page.getByText('Passed', { exact: true }).waitFor()
    await page.getByText(/responded in \d+ ms/).waitFor()
    assert.equal((await manage('GET', `/carriers/${id}/tests`)).body.items.length, 1)
    await judgeScreen(reader, 'new-carrier-test')
    // A reload shows the result and does not test again.
    await page.reload()
    await page.getByText('Passed', { exact: true }).waitFor()
    await page.getByLabel('Number').fill('12')
    await page.getByRole('button', { name: 'Test again' }).click()
    await page.locator('input[aria-invalid=true]').waitFor()
    await page.getByLabel('Number').fill('+9779841000019')
    await page.getByRole('button', { name: 'Test again' }).click()
    await page.getByText('Test message', { exact: true }).waitFor()
    await page.getByText(/accepted/).waitFor()
    assert.equal((await manage('GET', `/carriers/${id}/tests`)).body.items.length, 2)
    await page.getByRole('link', { name: 'Continue to route' }).click()
    await page.waitForURL(/step=route/)
    await page.getByText('Sagarmatha receives no messages until a route points to it.').waitFor()
    // Everest has the same priority and is older.
    const order = page.getByRole('complementary', { name: 'Routes' }).getByRole('listitem')
    await order.nth(1).waitFor()
    assert.deepEqual(
      (await order.allTextContents()).map((it) => it.slice(0, 9)),
      ['1Everesta', '2Sagarmat'],
    )
    await page.getByLabel('Priority').fill('10')
    await until(async () => /^1Sagarmatha/.test((await order.first().textContent()) ?? ''))
    await page.getByLabel('Priority').fill('100')
    await page.getByLabel('Prefixes (optional)').fill('97798')
    await page.getByRole('button', { name: 'Add route' }).click()
    await page.locator('input[aria-invalid=true]').waitFor()
    await judgeScreen(reader, 'new-carrier-route')
    await page.getByLabel('Prefixes (optional)').fill('+97796')
    await page.getByText('Nepal +97796 after this change').waitFor()
    await until(async () => /^1Sagarmatha/.test((await order.first().textContent()) ?? ''))
    await page.getByRole('button', { name: 'Add route' }).click()
    await page.getByText('Route added.').waitFor()
    await judgeScreen(reader, 'new-carrier-done')
    await page.getByRole('link', { name: 'Done' }).click()
    await page.waitForURL(new RegExp(`/carriers/${id}$`))
    await page.getByRole('heading', { level: 1, name: 'Sagarmatha' }).waitFor()
    const { items } = (await manage('GET', '/routes')).body
    const route = items.find(({ carrierId: of }: { carrierId: string }) => of === id)
    assert.deepEqual([route.country, route.prefixes, route.priority], ['NP', ['+97796'], 100])
    await page.context().close()
    await own.close()
  },
)

test(
  'a carrier that cannot connect says why and what to do, and says everywhere that it has no route',
  inBrowser,
  async () => {
    const reader = await sitDown(service)
    const { page } = reader
    await page.goto('/console/carriers/new?step=connection&provider=smpp')
    await page.getByLabel('Name', { exact: true }).fill('Nobody')
    await page.getByLabel('Host').fill('127.0.0.1')
    await page.getByLabel('Port').fill('9')
    await page.getByLabel('System ID').fill('himal')
    await page.getByRole('button', { name: 'Save and test' }).click()
    await page.waitForURL(TEST_STEP)
    await service.settle()
    await page.getByText('Failed', { exact: true }).waitFor()
    await page.getByText('Not connected').waitFor()
    await page.getByText('Check host, port, TLS, system ID and password').waitFor()
    await judgeScreen(reader, 'new-carrier-test-failed')
    // Back does not open the form of the carrier that exists.
    await page.goBack()
    assert.doesNotMatch(page.url(), /step=connection/)
    await page.goto('/console/carriers')
    await page.getByRole('row', { name: /Nobody .*No route/ }).waitFor()
    await page.getByRole('link', { name: 'Nobody' }).click()
    await page.getByText('No route points to this carrier').waitFor()
    await judgeScreen(reader, 'carrier-without-route')
    await page.getByRole('button', { name: 'Add a route' }).click()
    await page.getByRole('dialog').getByLabel('Country').selectOption('BD')
    await page.getByText('Bangladesh after this change').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Add route' }).click()
    await page.getByText('No route points to this carrier').waitFor({ state: 'detached' })
    await page.goto('/console/carriers')
    await page.getByRole('row', { name: /Nobody .*BD/ }).waitFor()
    await page.context().close()
  },
)

test('creates a carrier from a preset, with its notes, secrets and errors beside the fields', inBrowser, async () => {
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto('/console/carriers')
  await page.getByRole('link', { name: 'Add carrier' }).click()
  await page.getByRole('link', { name: 'Sparrow SMS' }).click()
  await page.getByText('Beta: not verified with the provider.').waitFor()
  await page.getByText('Notes').click()
  await page.getByText('Numbers of Nepal only').waitFor()
  await judgeScreen(reader, 'carrier-preset')
  await page.getByRole('button', { name: 'Save and test' }).click()
  await page.locator('input[aria-invalid=true]').first().waitFor()
  await judgeScreen(reader, 'carrier-preset-faults')
  await page.getByLabel('Name', { exact: true }).fill('Sparrow')
  await page.getByLabel('Identity').fill('Himal')
  await page.getByLabel('Token').fill('a-secret-token')
  await page.getByRole('button', { name: 'Save and test' }).click()
  await page.waitForURL(TEST_STEP)
  const [, id] = TEST_STEP.exec(page.url()) ?? []
  await page.getByRole('link', { name: 'Skip', exact: true }).click()
  await page.getByRole('link', { name: 'Skip', exact: true }).click()
  await page.waitForURL(new RegExp(`/carriers/${id}$`))
  await page.getByRole('link', { name: 'Settings' }).click()
  await page
    .getByText('"api.sparrowsms.com')
    .or(page.getByText(/api\.sparrowsms\.com/))
    .first()
    .waitFor()
  assert.equal(await page.getByText('a-secret-token').count(), 0)
  await judgeScreen(reader, 'carrier-http-settings')
  const { items } = (await manage('GET', '/carriers')).body
  const made = items.find(({ name }: { name: string }) => name === 'Sparrow')
  assert.deepEqual([made.kind, made.secretNames, made.http.preset.name], ['http', ['token'], 'sparrow'])
  await page.context().close()
})

test('creates a custom HTTP carrier from JSON, with errors at their lines', inBrowser, async () => {
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto('/console/carriers')
  await page.getByRole('link', { name: 'Add carrier' }).click()
  await page.getByRole('link', { name: 'Custom HTTP' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Described')
  const field = page.getByLabel('Description')
  const example = JSON.parse(await field.inputValue())
  await field.fill('{\n  "url": 1,\n}')
  await page.getByRole('button', { name: 'Save and test' }).click()
  await page.getByRole('alert').getByText('Invalid JSON').waitFor()
  await page.getByRole('button', { name: 'Line 3:' }).waitFor()
  const wrong = { ...example, url: `${provider.url}/messages`, answer: { ...example.answer, id: 'no-pointer' } }
  await field.fill(JSON.stringify(wrong, null, 2))
  await page.getByLabel('Secret', { exact: true }).fill('s3cret')
  await page.getByRole('button', { name: 'Save and test' }).click()
  await page
    .getByRole('alert')
    .getByText(/answer\.id/)
    .waitFor()
  await judgeScreen(reader, 'carrier-described')
  // A click on an error selects its line.
  await page.getByRole('alert').getByRole('button').click()
  const chosen = await page.evaluate<string>('getSelection().toString()')
  assert.match(chosen, /no-pointer/)
  await field.fill(JSON.stringify({ ...wrong, answer: example.answer }, null, 2))
  await page.getByRole('button', { name: 'Save and test' }).click()
  await page.waitForURL(TEST_STEP)
  const [, id] = TEST_STEP.exec(page.url()) ?? []
  await service.settle()
  // An HTTP carrier is tested address by address.
  await page.getByText('Passed', { exact: true }).waitFor()
  await page.getByText('Address found').waitFor()
  await page.getByText('Connection opened').waitFor()
  await judgeScreen(reader, 'new-carrier-test-http')
  await page.goto(`/console/carriers/${id}?tab=settings`)
  await page.getByText('No callback URL').waitFor()
  await page.context().close()
})

test('shows and rotates the callback URL on request, and never shows secrets', inBrowser, async () => {
  const http = { ...describe(provider.url), receipts: { kind: 'callback', reading: { id: '/id', state: '/status' } } }
  const id = await addHttpCarrier(service, provider.url, { name: 'Called back', http })
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto(`/console/carriers/${id}?tab=settings`)
  await page.getByRole('button', { name: 'Show URL' }).click()
  const address = page.getByRole('status').getByRole('button', { name: /\/carriers\/.+\/receipts/ })
  const before = await address.textContent()
  await judgeScreen(reader, 'carrier-callback')
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByText('stops working immediately').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  await until(async () => (await address.textContent()) !== before)
  await page.getByRole('button', { name: 'Add secret' }).click()
  await page.getByLabel('Name', { exact: true }).fill('other')
  await page.getByLabel('Secret', { exact: true }).fill('never-shown-again')
  await page.keyboard.press('Enter')
  await page.getByText('other', { exact: true }).waitFor()
  assert.equal(await page.getByText('never-shown-again').count(), 0)
  await page.getByRole('button', { name: 'Remove: other' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('other', { exact: true }).waitFor({ state: 'detached' })
  await page.context().close()
})

test('edits SMPP settings in groups, with errors at their lines', inBrowser, async () => {
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto(`/console/carriers/${carrierId}?tab=settings`)
  await page.getByRole('heading', { name: 'Receipts, validity and error tables' }).waitFor()
  await judgeScreen(reader, 'carrier-smpp-settings')
  await page.getByRole('button', { name: 'Edit: Receipts, validity and error tables' }).click()
  const field = page.getByLabel('Settings as JSON')
  const text = await field.inputValue()
  await field.fill(text.replace('"validityMaxSeconds": null', '"validityMaxSeconds": 5'))
  await page.getByRole('button', { name: 'Save' }).click()
  await page
    .getByRole('alert')
    .getByText(/smpp\.validityMaxSeconds/)
    .waitFor()
  await judgeScreen(reader, 'carrier-smpp-fault')
  await field.fill(text.replace('"validityMaxSeconds": null', '"validityMaxSeconds": 3600'))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('3600', { exact: true }).waitFor()
  const { body } = await manage('GET', `/carriers/${carrierId}`)
  assert.equal(body.smpp.validityMaxSeconds, 3600)
  await page.context().close()
})

test('takes prices from a paste or a file, routes by them, and shows the margin', inBrowser, async () => {
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto(`/console/carriers/${carrierId}?tab=prices`)
  await page.getByText('No prices yet.').waitFor()
  await judgeScreen(reader, 'carrier-prices-empty')
  await page.getByRole('button', { name: 'Add prices' }).click()
  await page.getByLabel('Currency').fill('npr')
  const field = page.getByLabel('One prefix and price per line')
  await field.fill('prefix,price\n+97798,0.35\nNepal;cheap\n')
  await page.getByRole('button', { name: /^Replace prices \(/ }).click()
  await page.getByRole('button', { name: 'Line 3:' }).waitFor()
  await judgeScreen(reader, 'carrier-prices-fault')
  await field.fill('+97798,0.35\n+97798,0.4\n')
  await page.getByRole('button', { name: /^Replace prices \(/ }).click()
  await page.getByRole('alert').getByText('The list has two prices for +97798; remove one').waitFor()
  await page.getByRole('button', { name: 'Line 2:' }).waitFor()
  const csv = { name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from('prefix,price\n97798,0.35\n,0.5\n') }
  await page.getByLabel('Upload CSV file').setInputFiles(csv)
  await page.getByRole('button', { name: 'Replace prices (2)' }).click()
  await page.getByRole('row', { name: /\+97798 0\.35/ }).waitFor()
  await page.getByRole('row', { name: /all other numbers 0\.50/ }).waitFor()
  await judgeScreen(reader, 'carrier-prices')

  await page.goto('/console/carriers')
  await page.getByRole('row', { name: /NP .*Weighted/ }).waitFor()
  await judgeScreen(reader, 'carriers-countries')
  await page.getByRole('table', { name: 'Countries' }).getByRole('link', { name: 'NP' }).click()
  await page.getByLabel('Routing policy', { exact: true }).selectOption('cheapest')
  await page.getByText('Uses the carrier with the lowest price').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /NP .*Cheapest/ }).waitFor()
  assert.equal((await manage('GET', '/countries/NP')).body.policy, 'cheapest')

  const { body } = await sender.send({ to: '9841000001' })
  await service.settle()
  await until(async () => (await sender.get(body.messageId)).status === 'delivered')
  const at = `/console/w/${sender.workspaceId}`
  await page.goto(`${at}/messages/${body.messageId}`)
  await page.getByText('Margin').waitFor()
  await page.getByText('0.65').waitFor()
  await judgeScreen(reader, 'message-margin')
  await until(async () => {
    const { items } = (await manage('GET', `/workspaces/${sender.workspaceId}/usage`)).body
    return items[0]?.carriers?.segments === 1
  })
  await page.goto(`${at}/usage`)
  await page.getByText('Carrier prices are known for 1 of 1 segments.').waitFor()
  await page.getByRole('table', { name: 'Margin' }).getByText('0.65').waitFor()
  await judgeScreen(reader, 'usage-margin')
  const owner = await sitDown(service, { workspaceId: sender.workspaceId, role: 'owner' })
  await owner.page.goto(`${at}/usage`)
  await owner.page.getByRole('cell', { name: 'transactional' }).waitFor()
  assert.equal(await owner.page.getByText('Margin').count(), 0, 'owners do not see carrier costs')
  await owner.page.goto(`${at}/messages/${body.messageId}`)
  await owner.page.getByText('Delivered', { exact: true }).first().waitFor()
  assert.equal(await owner.page.getByText('Margin').count(), 0)
  await owner.page.context().close()
  await page.context().close()
})

test(
  'shows an HTTP capture: the request as described, the values read from the response, and no OTP',
  inBrowser,
  async () => {
    const http = describe(provider.url, {
      answer: { id: '/id', said: '/error', rules: [{ at: '/code', is: [0], outcome: 'accepted' }] },
    })
    const id = await addHttpCarrier(service, provider.url, { name: 'Captured', http })
    await until(async () => (await manage('GET', `/carriers/${id}`)).body.health.state === 'working')
    const begun = await manage('POST', `/carriers/${id}/captures`, { seconds: 60 })
    await service.settle()
    provider.does((got, response) => {
      const json = { code: 1009, error: 'Sender not allowed', account: { name: 'canary' }, request: got.body }
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    })
    await manage('POST', `/carriers/${id}/test`, { to: '+9779841000009', text: 'Your code is 482917' })
    await service.advance(60)
    await service.settle()
    const reader = await sitDown(service)
    const { page } = reader
    await page.goto(`/console/carriers/${id}?tab=wire&capture=${begun.body.id}`)
    await page.getByText('/error="Sender not allowed"').waitFor()
    await page.getByText('/id=<missing>').waitFor()
    for (const hidden of ['482917', '9841000009', 'canary', 'Your code']) {
      const found = await page.getByRole('list', { name: 'Packets' }).getByText(hidden).count()
      assert.equal(found, 0, hidden)
    }
    await judgeScreen(reader, 'carrier-wire-http')
    await page.context().close()
  },
)

test('starts a capture, shows its packets, and downloads it for Wireshark', inBrowser, async () => {
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto(`/console/carriers/${carrierId}?tab=wire`)
  await page.getByText('No captures in the last hour.').waitFor()
  await judgeScreen(reader, 'carrier-wire-empty')
  await page.getByLabel('Duration (s)').fill('9000')
  await page.getByRole('button', { name: 'Start capture' }).click()
  await page.locator('input[aria-invalid=true]').waitFor()
  await page.getByLabel('Duration (s)').fill('60')
  await page.getByRole('button', { name: 'Start capture' }).click()
  await page.waitForURL(/capture=/)
  await service.settle()
  const { body } = await sender.send({ to: '9841000002', text: 'Over the wire' })
  await service.settle()
  // The capture ends after the response has arrived.
  await until(async () => (await sender.get(body.messageId)).status === 'delivered')
  await service.advance(60)
  await service.settle()
  await page.getByText('submit_sm_resp').first().waitFor()
  await judgeScreen(reader, 'carrier-wire')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download for Wireshark' }).click()
  const file = await (await download).createReadStream()
  const chunks: Buffer[] = []
  for await (const chunk of file) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  // The magic number of a pcap file, in the byte order of the machine.
  assert.ok(['d4c3b2a1', 'a1b2c3d4', '4d3cb2a1', 'a1b23c4d'].includes(bytes.subarray(0, 4).toString('hex')))
  await page.context().close()
})

test('shows the last hour of a carrier, and unmatched receipts with their likely cause', inBrowser, async () => {
  smsc.plan = () => ({ id: '1F', report: null })
  await sender.send({ to: '9841000003', text: 'In hex' })
  await service.settle()
  const taken = await until(() => smsc.taken.find(({ to }) => to === '+9779841000003'))
  await smsc.reportOn(taken, 'DELIVRD', { id: '31' })
  // A receipt counts as unmatched after one minute.
  await until(async () => {
    await service.advance(30)
    return (await manage('GET', `/carriers/${carrierId}/receipts`)).body.items.length > 0
  })
  await until(async () => {
    await service.advance(5)
    return (await manage('GET', `/carriers/${carrierId}/figures`)).body.total.accepted > 0
  })
  const reader = await sitDown(service)
  const { page } = reader
  await page.goto(`/console/carriers/${carrierId}`)
  await page.getByRole('table', { name: 'Last hour' }).getByRole('row', { name: /^all/ }).waitFor()
  await page.getByText('IDs match when responses are hex and receipts decimal').first().waitFor()
  await judgeScreen(reader, 'carrier-now')
  await page.getByRole('button', { name: 'Use this ID format' }).click()
  await until(async () => {
    const { idFormat } = (await manage('GET', `/carriers/${carrierId}`)).body
    return idFormat.answers === 'hex' && idFormat.reports === 'decimal'
  })
  await page.context().close()
})

test('the carrier pages are translated to Nepali, and fit on a small screen', inBrowser, async () => {
  const reader = await sitDown(service)
  const { page } = reader
  await page.context().addCookies([{ name: 'hulaki-language', value: 'ne', url: service.url }])
  for (const [tab, text] of [
    ['settings', 'होस्ट, TLS र टाइमआउट'],
    ['prices', 'मूल्यहरू फेर्नुहोस्'],
    ['wire', 'क्याप्चर सुरु गर्नुहोस्'],
  ]) {
    await page.goto(`/console/carriers/${carrierId}?tab=${tab}`)
    await page
      .getByText(text ?? '')
      .first()
      .waitFor()
    await judgeScreen(reader, `carrier-${tab}-nepali`)
  }
  await page.goto('/console/carriers')
  await page.getByRole('link', { name: 'क्यारियर थप्नुहोस्' }).click()
  await page.getByRole('link', { name: 'Twilio' }).waitFor()
  await judgeScreen(reader, 'new-carrier-nepali')
  await page.getByRole('link', { name: 'Twilio' }).click()
  await page.getByText('बिटा: प्रोभाइडरसँग जाँचिएको छैन').waitFor()
  await page.getByText('उन्नत').click()
  await judgeScreen(reader, 'carrier-preset-nepali')
  for (const [step, text] of [
    ['test', 'फेरि जाँच्नुहोस्'],
    ['route', 'Everest का रुट'],
  ]) {
    await page.goto(`/console/carriers/new?step=${step}&carrier=${carrierId}`)
    await page.getByText(text ?? '').waitFor()
    await judgeScreen(reader, `new-carrier-${step}-nepali`)
  }
  await page.context().close()
})
