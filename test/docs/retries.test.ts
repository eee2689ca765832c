// The waits in docs/reference/retries.md are those of the code.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { firstPoll, nextPoll } from '../../src/domain/carriers/http/poll-times.ts'
import { interpretCommandStatus } from '../../src/domain/carriers/smpp/command-status.ts'
import { planMatchAttempt } from '../../src/domain/messages/unmatched-reports.ts'
import { WAITS_IN_SECONDS } from '../../src/domain/webhooks/webhook-schedule.ts'

const page = readFileSync('docs/reference/retries.md', 'utf8')
const START = new Date(0)

function written(seconds: number): string {
  if (seconds >= 3600) return `${seconds / 3600} h`
  return seconds >= 60 ? `${seconds / 60} min` : `${seconds} s`
}

function rowOf(link: string): string {
  return page.split('\n').find((line) => line.startsWith(`| [${link}]`)) ?? ''
}

test('the page has the waits of webhooks and of receipts without a message', () => {
  assert.ok(
    rowOf('Webhook').includes(`| ${WAITS_IN_SECONDS.map(written).join(', ')} | ${WAITS_IN_SECONDS.length + 1} `),
  )
  const matches = Array.from({ length: 20 }, (_, attempts) => planMatchAttempt(attempts, START))
  const waits = matches.flatMap((at) => (at ? [at.getTime() / 1000] : []))
  assert.ok(
    rowOf('Receipt without a message').includes(`| ${waits.map(written).join(', ')} | ${waits.length} attempts |`),
  )
})

test('the page has the number of polls of a message without a receipt', () => {
  const waits = { firstAfterSeconds: 10, longestWaitSeconds: 21_600 }
  const endsAt = new Date(72 * 3_600_000)
  let polls = 0
  for (let at: Date | null = firstPoll(waits, START); at !== null; polls++)
    at = nextPoll({ attempts: polls + 1, endsAt }, waits, at)
  assert.match(page, new RegExp(`up to ${polls} polls`))
})

test('the page has every SMPP status that is not a rejection, with its outcome', () => {
  const named = Array.from(page.matchAll(/^\| `(\w+)` \|[^|]+\| (0x[^|]+) \|/gm)).flatMap(
    ([, outcome, statuses = '']) => statuses.split(', ').map((status) => `${Number(status)} ${outcome}`),
  )
  const known = Array.from({ length: 0x500 }, (_, status) => `${status} ${interpretCommandStatus(status).outcome}`)
  assert.deepEqual(named.toSorted(), known.filter((it) => !it.endsWith(' rejected')).toSorted())
})
