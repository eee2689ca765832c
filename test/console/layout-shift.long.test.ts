// Every screen in a real browser while its responses arrive one by one: nothing moves after it was painted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, shiftsOf } from '../harness/browser.ts'
import { makeClient } from '../harness/client.ts'
import { type AnswerOrder, paceAnswers } from '../harness/paced-answers.ts'
import { type Seat, sitDown } from '../harness/readers.ts'
import { ownService } from '../harness/service.ts'
import { templateBody } from '../manage/fixtures.ts'

interface Screens {
  SERVICE_SCREENS: readonly { path: string }[]
  WORKSPACE_SCREENS: readonly { path: string }[]
}
// Imported by URL: the tests are compiled without the types of the browser.
const screens: Screens = await import(new URL('../../ui/screens.ts', import.meta.url).href)

/** Less than a shift of the menu by one line. */
const MAX_SHIFT = 0.002

const TABS: Record<string, readonly string[]> = {
  '/codes': ['guard', 'allowed'],
  '/templates': ['match'],
  '/usage': ['months', 'ledger'],
  '/team': ['tokens', 'audit'],
  '/carriers/:id': ['settings', 'prices', 'wire'],
  '/people': ['tokens', 'audit'],
}

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,simulator' } })
const { manage } = service
const client = await makeClient(service, { webhookUrl: 'https://receiver.example/hook' })
const { workspaceId } = client
const { body: sent } = await client.send({ to: '+9779800000001' })
await client.send({ to: '+9779800000003' })
await client.otp({ to: '+9779800000001' })
await manage('POST', `/workspaces/${workspaceId}/templates`, { ...templateBody, text: 'Order {{number}}' })
await service.advance(3)
await service.settle()
const [carrier] = (await manage('GET', '/carriers')).body.items
const [delivery] = (await manage('GET', `/workspaces/${workspaceId}/webhook-deliveries`)).body.items

const IDS: Record<string, string> = {
  '/messages/:id': sent.messageId,
  '/clients/:id': client.id,
  '/webhooks/:id': delivery.id,
  '/workspaces/:id': workspaceId,
  '/carriers/:id': carrier.id,
}

/** The addresses of a screen, one per tab. */
function addressesOf(base: string, { path }: { path: string }): string[] {
  const address = `${base}${path.replace(':id', IDS[path] ?? '')}`
  assert.ok(IDS[path] || !path.includes(':id'), `the test knows an id for ${path}`)
  return [address, ...(TABS[path] ?? []).map((tab) => `${address}?tab=${tab}`)]
}

const ofService = screens.SERVICE_SCREENS.flatMap((screen) => addressesOf('/console', screen))
const ofWorkspace = screens.WORKSPACE_SCREENS.flatMap((screen) => addressesOf(`/console/w/${workspaceId}`, screen))

async function assertNothingMoves(
  seat: Seat,
  addresses: readonly string[],
  order: AnswerOrder,
  viewport = { width: 1280, height: 800 },
): Promise<void> {
  const { page } = await sitDown(service, seat)
  await page.setViewportSize(viewport)
  const paced = await paceAnswers(page, order)
  const moved: string[] = []
  for (const address of addresses) {
    await page.goto(address)
    await page.locator('main h1').waitFor()
    await paced.settled()
    assert.equal(await page.locator('[aria-busy=true]').count(), 0, `${address} is loaded`)
    const { shift, what } = await shiftsOf(page)
    if (shift > MAX_SHIFT) moved.push(`${address}: ${shift}: ${what}`)
  }
  // A call may just have begun.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().close()
  assert.deepEqual(moved, [], moved.join('\n'))
}

for (const order of ['oldest first', 'newest first'] as const) {
  test(`no screen moves for the operator while its calls are answered, ${order}`, inBrowser, () =>
    assertNothingMoves({}, [...ofService, ...ofWorkspace], order),
  )

  test(`no screen moves for an owner while its calls are answered, ${order}`, inBrowser, () =>
    assertNothingMoves({ workspaceId }, ofWorkspace, order),
  )

  test(`no screen moves on a phone while its calls are answered, ${order}`, inBrowser, () =>
    assertNothingMoves({}, [...ofService, ...ofWorkspace], order, { width: 360, height: 740 }),
  )
}
