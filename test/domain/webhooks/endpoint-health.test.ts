// The sums of a batch of webhook attempts, the strip of half hours, and the mails to owners.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  byHalfHour,
  type EndpointAttempt,
  startOfDay,
  sumAttempts,
} from '../../../src/domain/webhooks/endpoint-health.ts'
import { noticeMail } from '../../../src/domain/webhooks/endpoint-notice.ts'

const at = (time: string) => new Date(`2026-11-17T${time}Z`)

function attempt(clientId: string, time: string, statusCode: number, milliseconds = 20): EndpointAttempt {
  const isSuccess = statusCode === 204
  return { clientId, attemptedAt: at(time), milliseconds, statusCode, failure: null, isSuccess }
}

test('counts only the failures after the last success of a batch', () => {
  const batch = [
    attempt('a', '09:00:00', 500),
    attempt('a', '09:00:01', 204),
    attempt('a', '09:00:02', 500),
    attempt('a', '09:00:03', 502),
  ]
  const [sum] = sumAttempts(batch).endpoints
  assert.deepEqual(
    [sum?.failures, sum?.firstFailureAt, sum?.succeededAt, sum?.latest.statusCode],
    [2, at('09:00:02'), at('09:00:01'), 502],
  )
})

test('orders attempts by the time of their response', () => {
  const [sum] = sumAttempts([attempt('a', '09:00:05', 204), attempt('a', '09:00:00', 504, 10_000)]).endpoints
  assert.deepEqual([sum?.failures, sum?.firstFailureAt, sum?.latest.statusCode], [1, at('09:00:00'), 504])
})

test('sums by endpoint and half hour, in one order for every batch', () => {
  const batch = [
    attempt('b', '09:30:00', 204),
    attempt('a', '09:29:59.999', 204),
    attempt('b', '09:00:00', 500),
    attempt('b', '09:31:00', 500),
    attempt('a', '09:00:00', 204),
  ]
  const expected = [
    { clientId: 'a', halfHour: at('09:00:00'), succeeded: 2, failed: 0 },
    { clientId: 'b', halfHour: at('09:00:00'), succeeded: 0, failed: 1 },
    { clientId: 'b', halfHour: at('09:30:00'), succeeded: 1, failed: 1 },
  ]
  for (const order of [batch, batch.toReversed()]) {
    const { halfHours, endpoints } = sumAttempts(order)
    assert.deepEqual(halfHours, expected)
    assert.deepEqual(
      endpoints.map((it) => it.clientId),
      ['a', 'b'],
    )
  }
})

test('the history of an endpoint has 48 half hours and ends with the current one', () => {
  const now = at('10:14:55')
  const sums = [{ clientId: 'a', halfHour: at('10:00:00'), succeeded: 1, failed: 2 }]
  const strip = byHalfHour(sums, now)
  assert.equal(strip.length, 48)
  assert.deepEqual(strip[0], { startsAt: new Date('2026-11-16T10:30:00Z'), succeeded: 0, failed: 0 })
  assert.deepEqual(strip[47], { startsAt: at('10:00:00'), succeeded: 1, failed: 2 })
  assert.deepEqual(startOfDay(now), strip[0]?.startsAt)
})

const FAILING = {
  name: 'Core banking',
  url: 'https://hooks.example.com/sms?token=secret',
  failingSince: at('09:41:00'),
  succeededAt: null,
  statusCode: 502,
  failure: null,
}
const ABOUT = {
  kind: 'failing',
  workspaceName: 'Himal Bank',
  link: 'https://sms.example.com/console',
  language: 'en',
} as const

test('a mail names the endpoint, since when it fails and the last response, without the query of its URL', () => {
  const { subject, text } = noticeMail({ ...ABOUT, endpoints: [FAILING] })
  assert.equal(subject, 'Webhook endpoint failing: Core banking')
  assert.match(
    text,
    /^Core banking: https:\/\/hooks\.example\.com\/sms\n {2}failing since 2026-11-17 09:41 UTC, last response: HTTP 502$/m,
  )
  assert.match(noticeMail({ ...ABOUT, language: 'ne', endpoints: [FAILING] }).subject, /असफल: Core banking/)
})

test('a mail lists at most 20 endpoints and counts the others', () => {
  const { subject, text } = noticeMail({ ...ABOUT, endpoints: Array.from({ length: 25 }, () => FAILING) })
  assert.equal(subject, '25 webhook endpoints failing in Himal Bank')
  assert.equal(text.match(/Core banking/g)?.length, 20)
  assert.match(text, /^and 5 more$/m)
})
