// The packed SDK on every supported runtime, fetched once from the npm registry.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { thingsToTry, tryClient } from '../harness/client-trial.ts'
import { fetchRuntime, RUNTIMES } from '../harness/other-runtimes.ts'
import { installClient } from '../harness/packed-client.ts'
import { ownService } from '../harness/service.ts'

const run = promisify(execFile)
const [service, { folder }] = await Promise.all([ownService(), installClient()])
const toTry = await thingsToTry(service)

for (const runtime of RUNTIMES)
  test(`runs on ${runtime.name} against the real service: one message and one charge after a lost response`, async (t) => {
    const found = await fetchRuntime(runtime)
    if ('missing' in found) return t.skip(found.missing)
    const { stdout } = await run(found.program, ['--version'])
    assert.match(stdout, runtime.version)
    t.diagnostic(stdout.split('\n')[0] ?? '')
    await tryClient(folder, [found.program, ...runtime.flags], toTry)
  })
