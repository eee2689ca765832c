// A service with sample data, for pictures of the console: it runs in a process of its own with an empty data folder.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from './scratch-folder.ts'

const ROOT = join(import.meta.dirname, '..')
const TEXTS = [
  'Your parcel arrives today between 3 and 5 pm.',
  'तपाईंको अर्डर पठाइयो',
  'Bill of Rs 1,240 is due on Friday.',
]
const SENDERS = ['HULAKI', 'DARAZ', 'KHALTI']
const LAST_DIGITS = ['01', '01', '01', '02', '01', '03', '01', '07', '01', '01', '06', '01', '10', '01']

export interface SampleService {
  origin: string
  /** Signs in the first operator, once. */
  link: string
  stop(): Promise<void>
}

export async function startSampleService(): Promise<SampleService> {
  const operatorToken = randomUUID()
  const folder = scratchFolder('hulaki-pictures')
  const service = spawn(process.execPath, [join(ROOT, 'src', 'main.ts')], {
    cwd: ROOT,
    env: {
      ...process.env,
      PORT: '0',
      HULAKI_PROCESSES: '1',
      HULAKI_DATA_DIR: join(folder, 'data'),
      HULAKI_LOG_LEVEL: 'error',
      HULAKI_OPERATOR_TOKEN: operatorToken,
      HULAKI_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => service.once('close', resolve))
  const stop = async () => {
    service.kill('SIGINT')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const banner = await readBanner(service.stdout)
    const link = extract(banner, /(http\S+welcome#\S+)/)
    const { origin } = new URL(link)
    await failEndpoints(origin, operatorToken)
    await sendSamples(origin, extract(banner, /live +(\S+)/))
    return { origin, link, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function readBanner(output: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of output) {
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

/** Every client gets an endpoint that nobody answers. */
async function failEndpoints(origin: string, operatorToken: string): Promise<void> {
  const manage = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
    const response = await fetch(`${origin}/api/manage/v1${path}`, init)
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return (await response.json()) as { items: { id: string }[] }
  }
  for (const workspace of (await manage('GET', '/workspaces')).items) {
    for (const client of (await manage('GET', `/workspaces/${workspace.id}/clients`)).items)
      await manage('PATCH', `/clients/${client.id}`, { webhookUrl: 'https://127.0.0.1:9/events' })
  }
}

/** Messages of every outcome, an OTP, and a request that is refused. */
async function sendSamples(origin: string, apiKey: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
    await fetch(`${origin}/api/sms/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  for (const [at, lastDigits] of LAST_DIGITS.entries()) {
    const text = TEXTS[at % TEXTS.length]
    await post('/sms/send', { to: `98412345${lastDigits}`, text, senderId: SENDERS[at % SENDERS.length] })
    // Messages of different times make a list that reads like a real one.
    await new Promise((resolve) => setTimeout(resolve, 120))
  }
  await post('/sms/otp/send', { to: '9841234501' })
  await post('/sms/send', { to: 'nobody', text: TEXTS[0] })
}
