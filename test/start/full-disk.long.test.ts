// /readyz reports a full disk and recovers. The test mounts a small file system, which requires root on Linux.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dataFolder, ServiceProcess } from '../harness/process.ts'
import { until } from '../harness/until.ts'

const disk = dataFolder({ name: 'disk' })
mkdirSync(disk)
const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=300m,mode=755', 'tmpfs', disk])
const folder = join(disk, 'data')
function fill(file: string): void {
  const descriptor = openSync(file, 'w')
  for (let size = 1 << 20; size >= 1; size = Math.floor(size / 16)) {
    try {
      for (;;) writeSync(descriptor, Buffer.alloc(size))
    } catch {
      // A smaller write may still fit.
    }
  }
  closeSync(descriptor)
}

test('/readyz responds 503 with the reason while the disk is full, and 200 afterwards', {
  skip: status !== 0 && 'cannot mount a file system',
}, async (t) => {
  t.after(() => execFileSync('umount', ['-l', disk]))
  const service = new ServiceProcess({ env: { HULAKI_DATA_DIR: folder, HULAKI_PROCESSES: '1' } })
  const url = await service.url()
  const readiness = async () => {
    const response = await fetch(`${url}/readyz`)
    return { status: response.status, body: (await response.json()) as { reason?: string } }
  }
  assert.equal((await readiness()).status, 200)
  const filler = join(disk, 'filler')
  fill(filler)
  const { body } = await until(async () => {
    const answer = await readiness()
    return answer.status === 503 ? answer : null
  })
  assert.match(String(body.reason), /database disk is full/)
  rmSync(filler)
  await until(async () => (await readiness()).status === 200)
  assert.equal(await service.stop(), 0)
})
