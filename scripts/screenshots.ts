// `npm run generate -- screenshots`: takes the pictures in docs/images of a running service with sample data.
import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium } from '../test/harness/chromium.ts'
import { scratchFolder } from './scratch-folder.ts'

const root = join(import.meta.dirname, '..')
const images = join(root, 'docs', 'images')
const folder = scratchFolder('hulaki-screenshots')
const TEXTS = [
  'Your parcel arrives today between 3 and 5 pm.',
  'तपाईंको अर्डर पठाइयो',
  'Bill of Rs 1,240 is due on Friday.',
]
const LAST_DIGITS = ['01', '01', '01', '02', '01', '03', '01', '07', '01', '01', '06', '01', '10', '01']

const service = spawn(process.execPath, [join(root, 'src', 'main.ts')], {
  cwd: root,
  env: {
    ...process.env,
    PORT: '0',
    HULAKI_PROCESSES: '1',
    HULAKI_DATA_DIR: join(folder, 'data'),
    HULAKI_LOG_LEVEL: 'error',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const banner = await waitForBanner()
  const link = extract(banner, /(http\S+welcome#\S+)/)
  const { origin } = new URL(link)
  await sendSamples(origin, extract(banner, /live +(\S+)/))
  mkdirSync(images, { recursive: true })
  await takePictures(origin, link)
} finally {
  service.kill('SIGINT')
  await new Promise((resolve) => service.once('close', resolve))
  rmSync(folder, { recursive: true, force: true })
}

async function waitForBanner(): Promise<string> {
  let text = ''
  for await (const chunk of service.stdout) {
    text += chunk
    if (/Namaste from Hulaki"\}'/.test(text)) return text
  }
  throw new Error(`the service did not start: ${text}`)
}

function extract(text: string, pattern: RegExp): string {
  const it = pattern.exec(text)?.[1]
  if (it === undefined) throw new Error(`the start did not print ${pattern}`)
  return it
}

/** Sends messages of every outcome, and an OTP. */
async function sendSamples(origin: string, apiKey: string): Promise<void> {
  const post = (path: string, body: object) =>
    fetch(`${origin}/api/sms/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  for (const [at, lastDigits] of LAST_DIGITS.entries()) {
    await post('/sms/send', {
      to: `98412345${lastDigits}`,
      text: TEXTS[at % TEXTS.length],
      senderId: ['HULAKI', 'DARAZ', 'KHALTI'][at % 3],
    })
    await new Promise((resolve) => setTimeout(resolve, 120))
  }
  await post('/sms/otp/send', { to: '9841234501' })
}

async function takePictures(origin: string, link: string): Promise<void> {
  const browser = await launchChromium()
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', baseURL: origin })
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('button', { name: 'Open console' }).click()
  await page.waitForURL(/\/start$/)
  const home = new URL(page.url()).pathname.replace(/\/start$/, '')
  const pictures: [name: string, path: string, open?: (page: Page) => Promise<unknown>][] = [
    ['start', `${home}/start`],
    ['messages', `${home}/messages`],
    ['message', `${home}/messages`, (it) => it.locator('a[data-row]').nth(3).click()],
    ['codes', `${home}/codes`],
    ['templates', `${home}/templates`],
    ['usage', `${home}/usage`],
    ['now', '/console/now'],
    ['phone', '/console/phone'],
  ]
  for (const [name, path, open] of pictures) {
    await page.goto(path)
    await page.waitForLoadState('networkidle').catch(() => {})
    await open?.(page)
    await page.waitForTimeout(1_500)
    await page.screenshot({ path: join(images, `${name}.png`) })
  }
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(`${home}/messages`)
  await page.waitForTimeout(1_500)
  await page.screenshot({ path: join(images, 'messages-dark.png') })
  await browser.close()
}
