// `npm run screenshots [-- names]`: pictures of every screen in `screenshots/`, light, dark and on a phone.
// `npm run generate -- images`: the pictures of the docs in docs/images.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium } from '../test/harness/chromium.ts'
import { startSampleService } from './sample-service.ts'

const ROOT = join(import.meta.dirname, '..')
const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
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
      open: (page) => page.getByTitle('Switch workspace').click(),
    },
    {
      name: 'account-menu',
      path: '/console/now',
      open: (page) => page.locator('[popovertarget=account-menu]').click(),
    },
    { name: 'palette', path: `${workspace}/messages`, open: (page) => page.keyboard.press('Control+k') },
    {
      name: 'api-drawer',
      path: `${workspace}/messages`,
      open: (page) => page.getByRole('button', { name: 'API', exact: true }).click(),
    },
    { name: 'new-workspace', path: '/console/workspaces?new=1' },
    { name: 'new-route', path: '/console/carriers?route=new' },
    { name: 'new-country', path: '/console/carriers?country=new' },
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

async function takePictures(take: (page: Page, pictures: Picture[]) => Promise<void>): Promise<void> {
  const { origin, link, stop } = await startSampleService()
  try {
    const browser = await launchChromium()
    const context = await browser.newContext({
      viewport: DESK,
      locale: 'en-GB',
      timezoneId: 'Asia/Kathmandu',
      baseURL: origin,
    })
    const page = await context.newPage()
    await page.goto(link)
    await page.getByRole('button', { name: 'Open console' }).click()
    await page.waitForURL(/\/start$/)
    await take(page, picturesFor(new URL(page.url()).pathname.replace(/\/start$/, '')))
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

export function takeScreenshots(named: readonly string[]): Promise<void> {
  const folder = join(ROOT, 'screenshots')
  mkdirSync(folder, { recursive: true })
  return takePictures(async (page, pictures) => {
    for (const picture of pictures.filter(({ name }) => named.length === 0 || named.includes(name))) {
      const save = (look: string) => page.screenshot({ path: join(folder, `${picture.name}-${look}.png`) })
      await page.setViewportSize(DESK)
      await page.emulateMedia({ colorScheme: 'light' })
      await show(page, picture)
      await save('light')
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.waitForTimeout(SETTLE_MS)
      await save('dark')
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize(PHONE)
      await page.waitForTimeout(SETTLE_MS)
      await save('phone')
      console.log(picture.name)
    }
  })
}

export function takeDocsImages(): Promise<void> {
  const folder = join(ROOT, 'docs', 'images')
  return takePictures(async (page, pictures) => {
    const save = (name: string) => page.screenshot({ path: join(folder, `${name}.png`) })
    for (const picture of pictures) {
      const name = DOCS.get(picture.name)
      if (name === undefined) continue
      await show(page, picture)
      await save(name)
      if (name !== 'messages') continue
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.waitForTimeout(SETTLE_MS)
      await save('messages-dark')
      await page.emulateMedia({ colorScheme: 'light' })
    }
  })
}

if (import.meta.main) await takeScreenshots(process.argv.slice(2))
