import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  canonicalJson,
  checkIdempotency,
  IDEMPOTENCY_KEY_PATTERN,
  type KnownAnswer,
  type KnownAnswers,
} from '../../../src/domain/messages/idempotency.ts'
import { Refusal } from '../../../src/domain/refusals.ts'
import { refuseInactive } from '../../../src/domain/workspaces/workspace.ts'

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  )
}

test('ignores the order of keys at any depth (D25)', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => assert.equal(canonicalJson(reversed(value)), canonicalJson(value))))
})

test('distinguishes everything else (D25)', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const same = canonicalJson(one) === canonicalJson(other)
      assert.equal(same, JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)))
    }),
  )
  assert.notEqual(canonicalJson([1, 2]), canonicalJson([2, 1]))
  assert.notEqual(canonicalJson({ a: 1 }), canonicalJson({ a: '1' }))
})

test('accepts keys of 1 to 200 printable ASCII characters (§4)', () => {
  for (const key of ['a', ' ', '~'.repeat(200)]) assert.match(key, IDEMPOTENCY_KEY_PATTERN)
  for (const key of ['', 'a'.repeat(201), 'é', 'a\tb', 'a\n']) assert.doesNotMatch(key, IDEMPOTENCY_KEY_PATTERN)
})

test('answers a replay before the status of the workspace, and everything else after it (D6)', () => {
  const knownAnswers: KnownAnswers = new Map<string, KnownAnswer | 'running'>([
    ['c:answered', { keyId: 'k', fingerprint: Buffer.from('body'), answer: 'the first answer' }],
    ['c:running', 'running'],
  ])
  const decide = (idempotencyKey: string | null, body: string, status: 'active' | 'suspended') => {
    const fingerprintOf = () => Buffer.from(body)
    const idempotency = idempotencyKey === null ? null : { ownerId: 'c', idempotencyKey, fingerprintOf }
    const judged = checkIdempotency(knownAnswers, idempotency, refuseInactive(status))
    return judged instanceof Refusal ? [judged.code, judged.retryAfterSeconds] : (judged?.answer ?? null)
  }
  const suspended = ['workspace_suspended', undefined]
  const running = ['idempotency_conflict', 1]
  for (const [key, body, whenActive, whenSuspended] of [
    ['answered', 'body', 'the first answer', 'the first answer'],
    ['answered', 'another', ['idempotency_conflict', undefined], suspended],
    ['running', 'body', running, running],
    ['unused', 'body', null, suspended],
    [null, 'body', null, suspended],
  ] as const) {
    assert.deepEqual(decide(key, body, 'active'), whenActive, `${key}`)
    assert.deepEqual(decide(key, body, 'suspended'), whenSuspended, `${key}`)
  }
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}
