// What a start tells: nobody has to look for the keyring, or wonder why nothing ever expires.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testDatabaseAddress } from '../harness/database.ts'
import { CHECKOUT, dataFolder, ServiceProcess, urlOf } from '../harness/process.ts'

test("a start beside a database of one's own names the data folder and its version, and says that its clock stands", async () => {
  const folder = dataFolder()
  const service = new ServiceProcess({
    env: { DATABASE_URL: urlOf(await testDatabaseAddress()), HULAKI_DATA_DIR: folder, HULAKI_CLOCK: 'manual' },
  })
  await service.url()
  assert.equal(service.shown(/^ {2}Data {8}(.*)$/m), `${folder} (database at DATABASE_URL)`)
  const standsAt = service.shown(/^ {2}Clock {7}manual: it stands at (\S+) until it is advanced$/m)
  assert.ok(standsAt)
  const line = service.stdout.split('\n').find((it) => it.includes('the clock is manual')) ?? '{}'
  assert.equal(JSON.parse(line).standsAt, standsAt)
  const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
  assert.equal(service.shown(/^ {2}Version {5}(.*)$/m), `${version}, on Node ${process.versions.node}`)
  assert.equal(await service.stop(), 0)
})
