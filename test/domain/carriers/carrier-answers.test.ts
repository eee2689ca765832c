import assert from 'node:assert/strict'
import { test } from 'node:test'
import { interpretCommandStatus } from '../../../src/domain/carriers/smpp/command-status.ts'
import { interpretReport } from '../../../src/domain/messages/report.ts'
import { interpretUnanswered, type UnansweredOutcome } from '../../../src/domain/messages/submission.ts'

test('gives every command status its outcome, and a failure code if it is final', () => {
  const table: [number[], string, string, string, boolean][] = [
    [[0x00], 'accepted', '', 'takes', false],
    [[0x58], 'throttled', '', 'throttles', false],
    [[0x14], 'throttled', '', 'full', false],
    [[0x08, 0x64], 'other_carrier', '', 'refuses', false],
    [[0x04], 'unwritten', '', 'refuses', false],
    [[0x45, 0xfe, 0xff], 'retryable', '', 'refuses', false],
    [[0x0b], 'rejected', 'invalid_number', 'judges', false],
    [[0x50, 0x51], 'rejected', 'delivery_failed', 'judges', true],
    [[0x0a, 0x48, 0x49], 'rejected', 'carrier_rejected', 'judges', true],
    [[0x65, 0x66], 'rejected', 'carrier_rejected', 'judges', false],
    [[0x01, 0x02, 0x03, 0x06, 0x07, 0x15, 0x43, 0x61, 0x62, 0x63], 'rejected', 'delivery_failed', 'judges', true],
    [[0xc0, 0xc1, 0xc2, 0xc3, 0xc4], 'rejected', 'delivery_failed', 'judges', true],
    [[0x400, 0x4ff, 0x12345], 'rejected', 'carrier_rejected', 'judges', false],
  ]
  for (const [statuses, outcome, error, sign, alarm] of table) {
    for (const status of statuses) {
      assert.deepEqual(interpretCommandStatus(status), { outcome, error, sign, alarm }, `${status}`)
    }
  }
})

test("applies a carrier's own meaning of a status", () => {
  const overrides = {
    '1025': { outcome: 'throttled' as const },
    '8': { outcome: 'rejected' as const, error: 'invalid_number' as const },
  }
  const { outcome, sign } = interpretCommandStatus(0x401, overrides)
  assert.deepEqual([outcome, sign], ['throttled', 'throttles'])
  assert.deepEqual(interpretCommandStatus(0x08, overrides), {
    outcome: 'rejected',
    error: 'invalid_number',
    sign: 'judges',
    alarm: false,
  })
  assert.equal(interpretCommandStatus(0x58, overrides).outcome, 'throttled')
})

test('counts a written, unanswered submission as unknown, and an unwritten one not (D15)', () => {
  const signOf = (it: UnansweredOutcome) => [interpretUnanswered(it).outcome, interpretUnanswered(it).sign]
  assert.deepEqual(signOf({ kind: 'unknown', cause: 'no_answer' }), ['unknown', 'silent'])
  assert.deepEqual(signOf({ kind: 'unknown', cause: 'link_lost' }), ['unknown', 'nothing'])
  assert.deepEqual(signOf({ kind: 'not_written' }), ['unwritten', 'nothing'])
  assert.deepEqual(signOf({ kind: 'unwritable' }), ['rejected', 'nothing'])
  assert.equal(interpretUnanswered({ kind: 'unwritable' }).error, 'carrier_rejected')
})

test('gives every report state its meaning, and ignores unknown states (D13)', () => {
  const judge = (state: string, code = '000') => Object.values(interpretReport({ state, code, isIntermediate: false }))
  for (const state of ['DELIVRD', 'DELIVERED', 'delivrd']) assert.deepEqual(judge(state), ['delivered', ''], state)
  for (const state of ['ENROUTE', 'SCHEDLD', 'ACCEPTD', 'ACKED', 'BUFFRED', '', 'NONSENSE', 'constructor']) {
    assert.deepEqual(judge(state), ['pending', ''], state)
  }
  assert.deepEqual(judge('EXPIRED'), ['undelivered', 'delivery_timeout'])
  for (const state of ['UNDELIV', 'FAILED', 'DELETED', 'UNKNOWN', 'SKIPPED']) {
    assert.deepEqual(judge(state), ['undelivered', 'delivery_failed'], state)
  }
  assert.deepEqual(judge('REJECTD'), ['rejected', 'carrier_rejected'])
})

test("reads the reason from the carrier's err table, and ignores intermediate notifications", () => {
  const overrides = { reports: { '001': { error: 'invalid_number' as const } } }
  const report = { state: 'UNDELIV', code: '001', isIntermediate: false }
  assert.deepEqual(interpretReport(report, overrides), { status: 'undelivered', error: 'invalid_number' })
  assert.deepEqual(interpretReport({ ...report, isIntermediate: true }, overrides), { status: 'pending', error: '' })
})

test('applies a state with its err before the state alone, then the err, then the SMPP meaning', () => {
  const states = {
    'UNDELIV:001': { status: 'rejected' as const },
    UNDELIV: { status: 'undelivered' as const, error: 'network_unavailable' as const },
    ODD: { status: 'delivered' as const },
  }
  const overrides = { reports: { '002': { error: 'invalid_number' as const } }, states }
  const judge = (state: string, code: string) =>
    Object.values(interpretReport({ state, code, isIntermediate: false }, overrides))
  assert.deepEqual(judge('UNDELIV', '001'), ['rejected', 'carrier_rejected'])
  assert.deepEqual(judge('undeliv', '002'), ['undelivered', 'network_unavailable'])
  assert.deepEqual(judge('FAILED', '002'), ['undelivered', 'invalid_number'])
  assert.deepEqual(judge('odd', '000'), ['delivered', ''])
  assert.deepEqual(judge('constructor', '000'), ['pending', ''])
})
