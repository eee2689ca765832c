// A short crash loop passes all judges, and each judge fails on its own fault. `npm run crash` runs the long form.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { keepLog } from '../harness/log-leaks.ts'
import { withFault } from './faults.ts'
import { JUDGE_NAMES, judgeAll } from './judges.ts'
import { run } from './loop.ts'
import { formatReport } from './report.ts'

const KILLS = 6
const seed = Number(process.env.SEED ?? randomInt(10 ** 9))

const { evidence, folder, close } = await run({ seed, kills: KILLS })
after(async () => {
  await close({ isKept: true })
  const log = readFileSync(join(folder, 'service.log'), 'utf8').split('\n')
  keepLog(() => log)
  rmSync(folder, { recursive: true, force: true })
})

test(`${KILLS} kills lose, double and reorder nothing`, (t) => {
  const verdicts = judgeAll(evidence)
  t.diagnostic(`SEED=${seed}\n${formatReport(evidence, verdicts)}`)
  for (const [judge, faults] of Object.entries(verdicts)) assert.deepEqual(faults, [], judge)
  assert.equal(evidence.kills.length, KILLS)
})

for (const judge of JUDGE_NAMES)
  test(`judge ${judge} fails on its fault`, () => {
    assert.notDeepEqual(judgeAll(withFault(evidence, judge))[judge], [])
  })
