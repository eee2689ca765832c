import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelAgainstClaim } from './cancel-against-claim.ts'

const TIMES = 60

test(`D59: cancel against claim, ${TIMES} times in parallel: each message is exactly one of the two`, async () => {
  const { cancelled, claimed } = await cancelAgainstClaim(TIMES)
  assert.equal(cancelled + claimed, TIMES)
})
