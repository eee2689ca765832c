// Asserts a complete error response (§2.6).
import assert from 'node:assert/strict'
import type { Answer } from './service.ts'

/** `path` must be among the reported fields. */
export function assertRefused(answer: Answer, status: number, code: string, path?: unknown[]): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  assert.equal(answer.body.code, code)
  assert.equal(typeof answer.body.error, 'string')
  assert.ok(answer.body.error.length > 0)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  assert.ok(answer.headers.get('x-request-id'), 'D28: every response has x-request-id')
  assert.doesNotMatch(JSON.stringify(answer.body), /\bat .*\.[jt]s:\d+|node_modules/, 'no stack trace')
  if (status === 429)
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/, 'D27: Retry-After on every 429')
  if (path) assertNamed(answer.body.details, path)
}

function assertNamed(details: { path: unknown[]; message: string; code: string }[], path: unknown[]): void {
  const paths = details.map((it) => {
    assert.deepEqual([typeof it.message, typeof it.code], ['string', 'string'])
    return JSON.stringify(it.path)
  })
  assert.ok(paths.includes(JSON.stringify(path)), `${JSON.stringify(path)} is not among ${paths}`)
}
