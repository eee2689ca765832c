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

test('docs/operations/deployment.md shows the unit', () => {
  const page = readFileSync(join(CHECKOUT, 'docs', 'operations', 'deployment.md'), 'utf8')
  assert.ok(page.includes(`\n${readFileSync(UNIT, 'utf8')}\`\`\`\n`))
})
