// The first final report of a segment counts once, for its recipient.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstReceipts } from '../../../src/domain/messages/first-receipts.ts'
import type { ReportStatus } from '../../../src/domain/messages/report.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 16) + seconds * 1000)
const segment = (nth: number) => ({ messageId: 'm', ordinal: 1, segment: nth })
const known = {
  messages: [{ id: 'm', to: '+9779841000001', type: 'otp' as const }],
  submissions: [1, 2, 3].map((nth) => ({ ...segment(nth), claimedAt: at(0) })),
  reports: [
    { ...segment(1), status: 'delivered' as const },
    { ...segment(2), status: 'pending' as const },
  ],
}
const report = (nth: number, status: ReportStatus, seconds: number) => ({
  ...segment(nth),
  carrierId: 'c',
  status,
  receivedAt: at(seconds),
})

test('counts the first final report of a segment, and no earlier or repeated one', () => {
  const reports = [
    report(1, 'delivered', 5),
    report(2, 'undelivered', 7),
    report(2, 'delivered', 9),
    report(3, 'pending', 9),
  ]
  const about = { carrierId: 'c', to: '+9779841000001', type: 'otp' as const }
  assert.deepEqual(firstReceipts(known, reports), [{ ...about, status: 'undelivered', ms: 7_000 }])
  assert.deepEqual(firstReceipts(known, [report(3, 'rejected', -1)]), [{ ...about, status: 'rejected', ms: 0 }])
})

test('ignores reports of unknown segments', () => {
  assert.deepEqual(
    firstReceipts(known, [report(4, 'delivered', 5), { ...report(1, 'delivered', 5), messageId: 'n' }]),
    [],
  )
  assert.deepEqual(firstReceipts(known, []), [])
})
