// `npm run screenshots [-- names]`: pictures of every screen in `screenshots/`, light, dark and on a phone; with `--ne` in Nepali.
// `npm run generate -- images`: the pictures of the docs in docs/images.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium } from '../test/harness/chromium.ts'
import { startSampleService } from './sample-service.ts'

const ROOT = join(import.meta.dirname, '..')
const ENGLISH = 'en-GB'
const DESK = { width: 1280, height: 800 }
/** A phone has no room for a scrollbar and no keyboard. */
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 1 }
/** Charts and lists are drawn when their data is here, and colours fade. */
const SETTLE_MS = 700

/** Imported by its address, because the console is a TypeScript project of its own, with the types of a browser. */
const { SERVICE_SCREENS, WORKSPACE_SCREENS }: Record<'SERVICE_SCREENS' | 'WORKSPACE_SCREENS', { path: string }[]> =
  await import(new URL('../ui/screens.ts', import.meta.url).href)

interface Picture {
  name: string
  path: string
  /** What to open on the screen. */
  open?: (page: Page) => Promise<unknown>
}

/** A row leads to its screen, or unfolds. */
const openFirstRow = (page: Page) => page.locator('a[data-row], tr [aria-expanded]').first().click()

/** Some buttons are only on a phone, or only on a desk. */
const clickIfShown = (selector: string) => async (page: Page) => {
  const button = page.locator(selector).filter({ visible: true })
  if ((await button.count()) > 0) await button.first().click()
}

function pictureOf(prefix: string, base: string, { path }: { path: string }): Picture {
  const name = `${prefix}${path.replaceAll(/[/:]+/g, '-')}`
  return path.endsWith('/:id')
    ? { name, path: base + path.slice(0, -'/:id'.length), open: openFirstRow }
    : { name, path: base + path }
}

/** The screens, and what opens above them. */
function picturesFor(workspace: string): Picture[] {
  return [
    ...SERVICE_SCREENS.map((it) => pictureOf('service', '/console', it)),
    ...WORKSPACE_SCREENS.map((it) => pictureOf('workspace', workspace, it)),
    {
      name: 'workspace-menu',
      path: '/console/now',
      open: clickIfShown('[popovertarget=workspaces]'),
    },
    {
      name: 'account-menu',
      path: '/console/now',
      open: clickIfShown('[popovertarget=account-menu]'),
    },
    { name: 'palette', path: `${workspace}/messages`, open: (page) => page.keyboard.press('Control+k') },
    {
      name: 'api-drawer',
      path: `${workspace}/messages`,
      open: clickIfShown('main [aria-haspopup=dialog]'),
    },
    { name: 'new-workspace', path: '/console/workspaces?new=1' },
    { name: 'new-route', path: '/console/carriers?route=new' },
    { name: 'new-country', path: '/console/carriers?country=new' },
    { name: 'audit', path: '/console/people?tab=audit' },
    { name: 'ledger', path: `${workspace}/usage?tab=ledger` },
    {
      name: 'filters',
      path: `${workspace}/messages?status=failed`,
      open: clickIfShown('main form + button, main label + [aria-haspopup=dialog]'),
    },
    {
      name: 'more-actions',
      path: `${workspace}/messages`,
      open: clickIfShown('main header [aria-label][popovertarget]'),
    },
    { name: 'docs', path: '/docs' },
    { name: 'docs-guide', path: '/docs/guides/quickstart' },
    { name: 'docs-reference', path: '/docs/reference' },
  ]
}

const DOCS = new Map([
  ['workspace-start', 'start'],
  ['workspace-messages', 'messages'],
  ['workspace-messages-id', 'message'],
  ['workspace-codes', 'codes'],
  ['workspace-templates', 'templates'],
  ['workspace-usage', 'usage'],
  ['service-now', 'now'],
  ['service-phone', 'phone'],
])

interface Windows {
  desk: Page
  phone: Page
  /** Without a sign-in, as wide as a desk. */
  stranger: Page
}

async function takePictures(
  locale: string,
  take: (windows: Windows, pictures: Picture[]) => Promise<void>,
): Promise<void> {
  const { origin, link, stop } = await startSampleService()
  try {
    const browser = await launchChromium()
    const options = { locale, timezoneId: 'Asia/Kathmandu', baseURL: origin }
    const context = await browser.newContext({ ...options, viewport: DESK })
    const desk = await context.newPage()
    await desk.goto(link)
    await desk.locator('form button').click()
    await desk.waitForURL(/\/start$/)
    const signedIn = await browser.newContext({ ...options, ...PHONE, storageState: await context.storageState() })
    const phone = await signedIn.newPage()
    const stranger = await (await browser.newContext({ ...options, viewport: DESK })).newPage()
    await take({ desk, phone, stranger }, picturesFor(new URL(desk.url()).pathname.replace(/\/start$/, '')))
    await browser.close()
  } finally {
    await stop()
  }
}

async function show(page: Page, { path, open }: Picture): Promise<void> {
  await page.goto(path)
  await page.waitForLoadState('networkidle').catch(() => {})
  await open?.(page)
  await page.waitForTimeout(SETTLE_MS)
}

export function takeScreenshots(named: readonly string[], locale: string): Promise<void> {
  const folder = join(ROOT, 'screenshots', locale)
  mkdirSync(folder, { recursive: true })
  return takePictures(locale, async ({ desk, phone, stranger }, pictures) => {
    const save = (page: Page, name: string) => page.screenshot({ path: join(folder, `${name}.png`) })
    const takeBoth = async (page: Page, picture: Picture) => {
      await page.emulateMedia({ colorScheme: 'light' })
      await show(page, picture)
      await save(page, `${picture.name}-light`)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.waitForTimeout(SETTLE_MS)
      await save(page, `${picture.name}-dark`)
    }
    const isNamed = ({ name }: Picture) => named.length === 0 || named.includes(name)
    for (const picture of pictures.filter(isNamed)) {
      await takeBoth(desk, picture)
      await show(phone, picture)
      await save(phone, `${picture.name}-phone`)
      console.log(picture.name)
    }
    for (const picture of [{ name: 'sign-in', path: '/console' }].filter(isNamed)) {
      await takeBoth(stranger, picture)
      await stranger.emulateMedia({ colorScheme: 'light' })
      await stranger.setViewportSize(PHONE.viewport)
      await stranger.waitForTimeout(SETTLE_MS)
      await save(stranger, `${picture.name}-phone`)
    }
  })
}

export function takeDocsImages(): Promise<void> {
  const folder = join(ROOT, 'docs', 'images')
  return takePictures(ENGLISH, async ({ desk }, pictures) => {
    const save = (name: string) => desk.screenshot({ path: join(folder, `${name}.png`) })
    for (const picture of pictures) {
      const name = DOCS.get(picture.name)
      if (name === undefined) continue
      await show(desk, picture)
      await save(name)
      if (name !== 'messages') continue
      await desk.emulateMedia({ colorScheme: 'dark' })
      await desk.waitForTimeout(SETTLE_MS)
      await save('messages-dark')
      await desk.emulateMedia({ colorScheme: 'light' })
    }
  })
}

if (import.meta.main) {
  const names = process.argv.slice(2)
  await takeScreenshots(
    names.filter((it) => it !== '--ne'),
    names.includes('--ne') ? 'ne' : ENGLISH,
  )
}
