// The service under test, shared with other files or own: real HTTP, real PostgreSQL and a manual clock.
import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Batching } from '../../src/runtime/batcher.ts'
import { type Clock, SystemClock } from '../../src/runtime/clock.ts'
import { Db } from '../../src/store/database/db.ts'
import { shardService } from '../runner/shared-services.ts'
import { type BootOptions, bootService, OPERATOR_TOKEN, START } from './boot-service.ts'
import { assertMatchesOpenApi, registerSettings } from './contract.ts'
import { testDatabaseAddress, useDatabase } from './database.ts'
import { type Connection, testServerOfRun } from './server.ts'

export { OPERATOR_TOKEN, START }

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
  limits?: BootOptions['limits']
  /** For a second process on the same database with the same keys. */
  beside?: { address: Connection; keyringText: string; clock: Clock }
}

/** The functions of every test service. */
export interface ServiceUnderTest {
  url: string
  address: Connection
  keyringText: string
  db: Db
  clock: Pick<Clock, 'now'>
  manage(method: string, path: string, body?: unknown, token?: string): Promise<Answer>
  /** Advances the clock and settles all roles. */
  advance(seconds: number): Promise<Answer>
  /** Settles all roles. */
  settle(): Promise<Answer>
}

export type TestService = Awaited<ReturnType<typeof ownService>>

/** Longer than every limit per number, so that earlier files do not affect this one. */
const BETWEEN_FILES_SECONDS = 3_700

/**
 * For a file that needs only its own workspaces: shares a service with other files of its shard. It must not change carriers, routes,
 * countries or service settings, and may advance the clock by hours only.
 */
export async function sharedService({ roles = 'api' } = {}): Promise<ServiceUnderTest> {
  if (!testServerOfRun()) return ownService({ env: { HULAKI_ROLES: roles } })
  const { url, address, keyringText, description } = await shardService(roles)
  registerSettings(new URL(url).origin, description)
  const db = new Db(address, { connections: 4 })
  after(() => db.close())
  const clock = { time: START, now: () => new Date(clock.time) }
  const { manage, advance } = callsOf(url)
  const move = async (seconds: number) => {
    const answer = await advance(seconds)
    if (answer.status === 200) clock.time = new Date(answer.body.now)
    return answer
  }
  assert.equal((await move(BETWEEN_FILES_SECONDS)).status, 200)
  return { url, address, keyringText, db, clock, manage, advance: move, settle: () => move(0.001) }
}

/** For a file that advances the clock far, restarts or breaks something, or changes service settings. */
export async function ownService({ env = {}, clock, batching = {}, limits, beside }: TestServiceOptions = {}) {
  const taking = { down: async () => {} }
  after(() => taking.down())
  const address: Connection = beside?.address ?? (await testDatabaseAddress())
  useDatabase(address, () => taking.down())
  const time = clock ?? beside?.clock
  const booted = await bootService({
    address,
    env,
    batching,
    ...(limits && { limits }),
    ...(time ? { clock: time } : {}),
    ...(beside ? { keyringText: beside.keyringText } : {}),
  })
  const { down, description, ...rest } = booted
  taking.down = async () => {
    taking.down = async () => {}
    await down()
  }
  registerSettings(new URL(rest.url).origin, description)
  return { ...rest, ...callsOf(rest.url), stop: () => taking.down() }
}

function callsOf(url: string): Pick<ServiceUnderTest, 'manage' | 'advance' | 'settle'> {
  const manage = (method: string, path: string, body?: unknown, token = OPERATOR_TOKEN) =>
    call(`${url}/api/manage/v1${path}`, { method, body, headers: { authorization: `Bearer ${token}` } })
  const advance = (seconds: number) => manage('POST', '/clock/advance', { seconds })
  return { manage, advance, settle: () => advance(0.001) }
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
  await assertMatchesOpenApi({ method, url, ...answer })
  assertNotKept(url, answer)
  return answer
}

/** An event stream ends with its reader. */
function isEndless({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false
}

async function beginningOf({ body }: Response): Promise<string> {
  for await (const piece of body ?? []) return Buffer.from(piece).toString()
  return ''
}

/** A raw body. */
function isWritten(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
}

/** No response is cached or sniffed, except the public coverage (§4.7). */
function assertNotKept(url: string, { status, headers }: Answer): void {
  const { pathname } = new URL(url)
  if (!pathname.startsWith('/api/')) return
  const isPublic = pathname === '/api/sms/coverage' && status === 200
  assert.equal(headers.get('cache-control'), isPublic ? 'public, max-age=300' : 'no-store', url)
  assert.equal(headers.get('x-content-type-options'), 'nosniff', url)
}

/** Recorded because the run checks that some test gets every code of §7. */
function rememberCode(text: string): void {
  const code = /"code":"([a-z_]+)"/.exec(text)?.[1]
  const folder = process.env.TEST_RUN_FOLDER
  if (code && folder) appendFileSync(join(folder, 'tested-codes'), `${code}\n`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
