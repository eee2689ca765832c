// The input of test/sdk/program.mjs and its expected result, in any runtime.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { signatureHeader } from '../../src/domain/webhooks/signature.ts'
import { makeClient } from './client.ts'
import { CHECKOUT } from './process.ts'
import type { ServiceUnderTest } from './service.ts'
import { startShakyNetwork } from './shaky-network.ts'

const run = promisify(execFile)
const SECRET = 'whsec_of-a-test'

export const EXPECTED = {
  status: 'queued',
  charged: 1.5,
  verified: true,
  refused: ['invalid_request', 400, 1],
  late: 'timeout',
  given: 'aborted',
  event: 'message.status',
  forged: 'wrong_signature',
}

export async function thingsToTry(service: ServiceUnderTest) {
  const live = await makeClient(service)
  const tested = await makeClient(service, { mode: 'test', testOtpCode: '123456' })
  // The first response to every message is lost after the service has accepted it.
  const heard = new Set<unknown>()
  const shaky = await startShakyNetwork(service.url, (_, { headers }) => {
    const key = headers['idempotency-key']
    return heard.size < heard.add(key).size ? 'lose the answer' : 'pass'
  })
  const body = JSON.stringify({ type: 'message.status', id: 'm', status: 'delivered', to: '+9779841234567' })
  const signature = signatureHeader({ unixSeconds: 1_800_000_000, body: Buffer.from(body), secrets: ['other', SECRET] })
  return {
    url: service.url,
    shakyUrl: shaky.url,
    liveKey: live.apiKey,
    testKey: tested.apiKey,
    webhook: { body, secret: SECRET, headers: { 'x-svc-signature': signature, 'x-svc-delivery': 'd-1' } },
  }
}

/** Runs it with another runtime (Node, Deno, Bun) in a project with the package. */
export async function tryClient(folder: string, command: string[], toTry: object): Promise<void> {
  copyFileSync(join(CHECKOUT, 'test', 'sdk', 'program.mjs'), join(folder, 'program.mjs'))
  const [program = '', ...flags] = command
  const env = { PATH: process.env.PATH, HOME: folder, TO_TRY: JSON.stringify(toTry), PURPOSE: program.slice(-50) }
  const { stdout } = await run(program, [...flags, 'program.mjs'], { cwd: folder, env })
  assert.deepEqual(JSON.parse(stdout), EXPECTED)
}
