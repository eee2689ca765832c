// The statement of a month on paper: A4 pages from Chromium, with a workspace of sixty clients.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { inBrowser } from '../harness/browser.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { sitDown } from '../harness/readers.ts'
import { ownService, type TestService } from '../harness/service.ts'

const CLIENTS = 60
const TYPES = ['otp', 'promotional', 'transactional']
/** A name as long as it may be, without a place to break it. */
const LONGEST = `Client-${'W'.repeat(93)}`

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })

async function largeMonth({ manage, db }: TestService): Promise<string> {
  const workspaceId = await makeWorkspace(service, {
    name: 'हिमाल बैंक Himal Bank of Nepal Limited',
    monthlyCredit: 1_000_000,
    maxClients: 100,
  })
  for (let at = 1; at <= 8; at++)
    await manage('POST', `/workspaces/${workspaceId}/credits`, {
      amount: 1000 + at,
      note: `Invoice ${at}, ${'paid by bank transfer '.repeat(4)}`,
    })
  for (let at = 1; at <= CLIENTS; at++)
    await makeClient(service, { workspaceId, name: at === CLIENTS ? LONGEST : `Client number ${at}` })
  await db.query({
    text: `insert into usage_day (workspace_id, client_id, day, type, messages, segments, cost_e4, refunds, refunded_e4)
      select $1, id, date '2026-11-10', type, 123456, 234567, 1234567890, 100, 123456
      from client, unnest($2::text[]) type where workspace_id = $1`,
    values: [workspaceId, TYPES],
    name: undefined,
  })
  return workspaceId
}

const workspaceId = await largeMonth(service)

async function openStatement(language: string) {
  const { page } = await sitDown(service)
  await page.goto(`/api/manage/v1/workspaces/${workspaceId}/months/2026-11/statement?language=${language}`)
  return page
}

/** The area of A4 within the margins, at 96 pixels per inch. */
const PRINTED = { width: Math.round(((210 - 2 * 16) / 25.4) * 96), height: 987 }
const A4_POINTS = [595.28, 841.89]

for (const language of ['en', 'ne'])
  test(`${language}: nothing is wider than the paper, and the pages are A4`, inBrowser, async () => {
    const page = await openStatement(language)
    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize(PRINTED)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PRINTED.width)
    const wide = await page.locator('body *').evaluateAll((all, right) => {
      const outside = all.filter((one) => one.getBoundingClientRect().right > right + 0.5)
      return outside.map((one) => one.outerHTML)
    }, PRINTED.width)
    assert.deepEqual(wide, [])

    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
    const boxes = Array.from(pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g), ([, ...sides]) => sides.map(Number))
    // Fonts differ between machines: about 34 rows fit on a page, and 192 are printed.
    assert.ok(boxes.length >= 6 && boxes.length <= 8, `${boxes.length} pages`)
    for (const sides of boxes)
      for (const [at, side] of sides.entries()) assert.ok(Math.abs(side - (A4_POINTS[at] ?? 0)) < 1, `${sides}`)
  })

const noReader =
  spawnSync('pdftotext', ['-v']).error && 'pdftotext is not installed; on Debian: apt-get install poppler-utils'

test('each page repeats the head of its table, has its number, and cuts no row', {
  skip: inBrowser.skip ?? noReader,
}, async () => {
  const pdf = await (await openStatement('en')).pdf({ preferCSSPageSize: true })
  const text = spawnSync('pdftotext', ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' }).stdout
  const pages = text
    .split('\f')
    .slice(0, -1)
    .map((page) => page.trim().split(/\n+/))
  for (const [at, lines] of pages.entries()) {
    if (at > 0)
      assert.match(
        lines[0] ?? '',
        /^(Date +Note +Amount|API client +Type +Messages +Segments +Charged +Refunded +Net)$/,
      )
    assert.equal(lines.at(-1)?.replaceAll(' ', ''), `${at + 1}/${pages.length}`)
  }
  const rows = pages
    .flat()
    .filter((line) => /^Client number \d+ +(OTP|promotional|transactional)( +[\d.,]+){5}$/.test(line))
  assert.equal(new Set(rows.map((row) => row.split(/ {2,}/, 2).join())).size, (CLIENTS - 1) * TYPES.length)
  // The total is below a row, not alone on a page.
  assert.match(pages.at(-1)?.at(-2) ?? '', /^Total( +[\d.,]+){5}$/)
  assert.ok((pages.at(-1)?.length ?? 0) > 4)
})
