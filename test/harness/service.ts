// The whole service in the test's own process: real HTTP, real PostgreSQL, and a clock that the test moves.
import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { readConfig } from '../../src/boot/config.ts'
import { startService } from '../../src/boot/service.ts'
import type { Batching } from '../../src/runtime/batcher.ts'
import { systemChance } from '../../src/runtime/chance.ts'
import { type Clock, ManualClock, SystemClock } from '../../src/runtime/clock.ts'
import { newKeyringText, parseKeyring } from '../../src/runtime/keyring.ts'
import { createLog } from '../../src/runtime/log.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { Switchboard } from '../../src/runtime/switchboard.ts'
import { Db } from '../../src/store/db.ts'
import { assertAsDescribed, describesItselfBy } from './contract.ts'
import { testDatabaseAddress, useDatabase } from './database.ts'
import type { Connection } from './server.ts'
import { keepLog } from './spills.ts'

export const OPERATOR_TOKEN = 'operator-token-of-the-tests'
/** A morning in Kathmandu, in the middle of a month. */
export const START = new Date('2026-11-16T04:00:00.000Z')

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers whose shape is what it tests
  body: any
}

export interface TestServiceOptions {
  env?: Record<string, string>
  clock?: Clock
  batching?: Partial<Batching>
  /** A second process on the same database is a second service with the same address and keys. */
  beside?: { address: Connection; keyringText: string; clock: Clock }
}

export type TestService = Awaited<ReturnType<typeof startTestService>>

export async function startTestService({ env = {}, clock, batching = {}, beside }: TestServiceOptions = {}) {
  const read = readConfig({ PORT: '0', DATABASE_URL: 'postgres://the-tests-give-their-own', ...env })
  if ('faults' in read) throw new Error(read.faults.join('\n'))
  const taking = { down: async () => {} }
  after(() => taking.down())
  const address: Connection = beside?.address ?? (await testDatabaseAddress())
  useDatabase(address, () => taking.down())
  const db = new Db(address, { connections: 20 })
  const logged: string[] = []
  keepLog(() => logged)
  const log = createLog('debug', { write: (line) => logged.push(line) })
  const keyringText = beside?.keyringText ?? newKeyringText(systemChance)
  const keyring = parseKeyring(keyringText, systemChance)
  const time = clock ?? beside?.clock ?? new ManualClock(START)
  const metrics = new Metrics()
  const service = await startService({
    config: read.config,
    db,
    clock: time,
    chance: systemChance,
    keyring,
    operatorToken: OPERATOR_TOKEN,
    log,
    metrics,
    board: new Switchboard(),
    listen: true,
    readMetrics: () => metrics.text(),
    listensForMetrics: true,
    batching,
  })
  taking.down = async () => {
    taking.down = async () => {}
    await service.stop()
    await db.close()
  }
  const stop = () => taking.down()
  const drain = () => service.drain()
  const { url } = service
  const { vendor, publicUrl, roles } = read.config
  describesItselfBy(new URL(url).origin, { vendor, publicUrl, roles, clock: time.constructor.name })
  const manage = (method: string, path: string, body?: unknown, token = OPERATOR_TOKEN) =>
    call(`${url}/api/manage/v1${path}`, { method, body, headers: { authorization: `Bearer ${token}` } })
  const advance = (seconds: number) => manage('POST', '/clock/advance', { seconds })
  /** Lets the roles do what is due now. */
  const settle = () => advance(0.001)
  return {
    url,
    address,
    keyringText,
    clock: time,
    db,
    ports: service.ports,
    logged,
    /** As of now; /metrics answers as of the last second. */
    readMetrics: () => metrics.text(),
    manage,
    advance,
    settle,
    drain,
    stop,
  }
}

export function systemClock(): Clock {
  return new SystemClock()
}

export async function call(
  url: string,
  { method, body, headers = {} }: { method: string; body?: unknown; headers?: Record<string, string> },
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: isWritten(body) ? body : JSON.stringify(body) }),
  })
  const text = isEndless(response) ? await beginningOf(response) : await response.text()
  rememberCode(text)
  const answer = { status: response.status, headers: response.headers, body: text === '' ? null : parse(text) }
  await assertAsDescribed({ method, url, ...answer })
  assertNotKept(url, answer)
  return answer
}

/** Events go on as long as somebody reads them. */
function isEndless({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false
}

async function beginningOf({ body }: Response): Promise<string> {
  for await (const piece of body ?? []) return Buffer.from(piece).toString()
  return ''
}

/** What a test writes itself, to the byte. */
function isWritten(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
}

/** No browser or proxy keeps an answer of either API, but for the public coverage (§4.7), or takes it for something else. */
function assertNotKept(url: string, { status, headers }: Answer): void {
  const { pathname } = new URL(url)
  if (!pathname.startsWith('/api/')) return
  const isPublic = pathname === '/api/sms/coverage' && status === 200
  assert.equal(headers.get('cache-control'), isPublic ? 'public, max-age=300' : 'no-store', url)
  assert.equal(headers.get('x-content-type-options'), 'nosniff', url)
}

/** The run asks afterwards whether every code of §7 was provoked over HTTP by some test. */
function rememberCode(text: string): void {
  const code = /"code":"([a-z_]+)"/.exec(text)?.[1]
  const folder = process.env.TEST_RUN_FOLDER
  if (code && folder) appendFileSync(join(folder, 'provoked-codes'), `${code}\n`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
