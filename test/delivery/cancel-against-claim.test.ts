import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelAgainstClaim } from './cancel-against-claim.ts'

const TIMES = 60

test(`D59: each of ${TIMES} messages is either cancelled or claimed`, async () => {
  const { cancelled, claimed } = await cancelAgainstClaim(TIMES)
  assert.equal(cancelled + claimed, TIMES)
})
