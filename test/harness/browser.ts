// Checks every screen in Chromium: accessibility (axe) in light and dark, CSP, layout shift and phone width. Skipped without Chromium.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { scratchFolder } from '../../scripts/scratch-folder.ts'
import { chromiumProgram, launchChromium } from './chromium.ts'

/** Test options that skip without a browser. */
export const inBrowser = chromiumProgram
  ? {}
  : { skip: 'Chromium is not installed; on Debian: apt-get install chromium' }

/** Resolves in the page after two frames: what was rendered before is painted. */
export const PAINTED = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const SMALL = { width: 360, height: 740 }
const USUAL = { width: 1280, height: 800 }
const MAX_SHIFT = 0.01
let browser: Promise<Browser> | null = null

function launch(): Promise<Browser> {
  browser ??= launchChromium()
  return browser
}

after(async () => (await browser)?.close())

export interface Reader {
  page: Page
  /** Errors of the CSP and of scripts. */
  complaints: string[]
}

/** A page in a browser. */
export async function openReader(options: BrowserContextOptions = {}): Promise<Reader> {
  const context = await (await launch()).newContext({ viewport: USUAL, locale: 'en-GB', ...options })
  context.setDefaultTimeout(45_000)
  const complaints: string[] = []
  await context.addInitScript({ path: join(import.meta.dirname, 'in-page.js') })
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`))
  page.on('console', (line) => {
    if (line.type() === 'error' && !/Failed to load resource/.test(line.text())) complaints.push(line.text())
  })
  const { route } = page
  page.route = (...given) => {
    assert.equal(
      page.url(),
      'about:blank',
      'call page.route before page.goto: a loaded page sends its next calls past it',
    )
    return route.apply(page, given)
  }
  return { page, complaints }
}

/**
 * Timers of the page with these durations never end, so that a notice stays, and later work stays away, however slow the machine is.
 * To be called before `page.goto`.
 */
export function holdTimers(page: Page, { fromMs, toMs = Number.MAX_VALUE }: { fromMs: number; toMs?: number }) {
  return page.addInitScript(`{
    const { setTimeout } = window
    window.setTimeout = (done, ms = 0, ...rest) => (ms >= ${fromMs} && ms <= ${toMs} ? 0 : setTimeout(done, ms, ...rest))
  }`)
}

interface Watched {
  shifts: { value: number; what: string }[]
  violations: string[]
}

interface Wide {
  scrollWidth: number
  wide: string[]
}

/** Runs all checks on the current screen. `name` is the name of its pictures. */
export async function judgeScreen({ page, complaints }: Reader, name: string): Promise<void> {
  const faults: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // Both schemes have the same page with other colours.
    const rules = colorScheme === 'light' ? EVERYTHING : COLOURS
    faults.push(...(await axeFaults(page, rules)).map((error) => `${colorScheme}: ${error}`))
    await page.screenshot({ path: pictureOf(`${name}-${colorScheme}`) })
  }
  await page.emulateMedia({ colorScheme: 'light' })
  const usual = page.viewportSize() ?? USUAL
  const { shift, what } = await shiftsOf(page)
  const { violations } = await page.evaluate<Watched>('watched')
  await page.setViewportSize(SMALL)
  await page.screenshot({ path: pictureOf(`${name}-small`) })
  const { scrollWidth, wide } = await page.evaluate<Wide>('overflowing()')
  if (scrollWidth > SMALL.width) faults.push(`at ${SMALL.width} px it is ${scrollWidth} px wide: ${wide.join('; ')}`)
  await page.setViewportSize(usual)
  if (shift > MAX_SHIFT) faults.push(`layout shift ${shift}: ${what}`)
  faults.push(...violations.map((violation) => `policy: ${violation}`), ...complaints)
  assert.deepEqual(faults, [], `${name}:\n${faults.join('\n')}`)
}

/** The layout shift since the page was loaded, and its sources. */
export async function shiftsOf(page: Page): Promise<{ shift: number; what: string }> {
  const { shifts } = await page.evaluate<Watched>('watched')
  return {
    shift: shifts.reduce((sum, { value }) => sum + value, 0),
    what: shifts.map(({ value, what }) => `${value.toFixed(4)} ${what}`).join(' | '),
  }
}

const EVERYTHING = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }
const COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

async function axeFaults(page: Page, rules: object): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(AXE)
  const found = await page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }> }
    }
    return (await axe.run({ runOnly, resultTypes: ['violations'] })).violations
  }, rules)
  return found.map(
    ({ id, help, nodes }) => `axe ${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  )
}

/** Pictures are stored with the files of the run. */
export function pictureOf(name: string): string {
  const folder =
    process.env.SCREENSHOTS ?? join(process.env.TEST_RUN_FOLDER ?? scratchFolder('hulaki-screens'), 'screens')
  mkdirSync(folder, { recursive: true })
  return join(folder, `${name}.png`)
}
