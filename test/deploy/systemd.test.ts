// The systemd unit of deploy/systemd: hardened, and the same as on the page.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHECKOUT } from '../harness/process.ts'

const UNIT = join(CHECKOUT, 'deploy', 'systemd', 'hulaki.service')
const MAX_EXPOSURE = 3
const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' })
const skip = analyze('--version').status !== 0 && 'systemd-analyze is not installed'

test(`systemd rates the exposure of the unit below ${MAX_EXPOSURE} of 10`, { skip }, () => {
  const { stdout, stderr } = analyze('security', '--offline=true', UNIT)
  const [, exposure] = /Overall exposure level for hulaki\.service: ([\d.]+)/.exec(stdout) ?? []
  assert.ok(Number(exposure) < MAX_EXPOSURE, stdout + stderr)
})

test('docs/operations/systemd.md shows the unit, which names that page', () => {
  const unit = readFileSync(UNIT, 'utf8')
  const [, file = ''] = /^Documentation=file:\/opt\/hulaki\/(.+)$/m.exec(unit) ?? []
  assert.equal(file, 'docs/operations/systemd.md')
  const page = readFileSync(join(CHECKOUT, file), 'utf8')
  assert.ok(page.includes(`\n${unit}\`\`\`\n`))
})
