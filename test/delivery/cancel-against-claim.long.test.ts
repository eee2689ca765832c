import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelAgainstClaim } from './cancel-against-claim.ts'

const TIMES = 1_000

test(`D59: each of ${TIMES} messages is either cancelled or claimed`, async (t) => {
  const { cancelled, claimed } = await cancelAgainstClaim(TIMES)
  t.diagnostic(`${cancelled} cancelled, ${claimed} claimed`)
  assert.ok(cancelled > 0 && claimed > 0)
})
