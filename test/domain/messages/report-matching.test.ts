// D13, D15, D65: which submission a report is about.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type MatchableReport,
  type MatchCandidate,
  type MatchFacts,
  matchReports,
  matchScopeOf,
  type Unanswered,
} from '../../../src/domain/messages/report-matching.ts'
import { messageIdOf, referenceOf } from '../../../src/domain/messages/submission.ts'

const FIRST = '01930000-0000-7000-8000-000000000001'
const SECOND = '01930000-0000-7000-8000-000000000002'
const NUMBER = '+9779841000001'
const OTHER_NUMBER = '+9779841000002'
const AT = new Date('2026-11-16T04:00:00.000Z')
const HOUR_MS = 3600 * 1000
const later = (ms: number) => new Date(AT.getTime() + ms)

const submission = (messageId: string, more: Partial<MatchCandidate> = {}): MatchCandidate => ({
  messageId,
  ordinal: 1,
  segment: 1,
  carrierId: 'carrier',
  reference: 'id',
  to: NUMBER,
  claimedAt: AT,
  outcome: 'accepted',
  ...more,
})
const unanswered = (messageId: string, more: Partial<Unanswered> = {}): Unanswered => ({
  messageId,
  ordinal: 1,
  segment: 1,
  carrierId: 'carrier',
  to: NUMBER,
  claimedAt: AT,
  isOpen: false,
  ...more,
})
const report = (reference: string, more: Partial<MatchableReport> = {}): MatchableReport => ({
  id: 'report',
  carrierId: 'carrier',
  reference,
  to: NUMBER,
  byText: false,
  status: 'delivered',
  receivedAt: AT,
  ...more,
})
const delivered = ({ messageId, ordinal, segment }: MatchCandidate) => ({
  messageId,
  ordinal,
  segment,
  status: 'delivered' as const,
})
const waited = (among: Unanswered[] = [], ofTests: string[] = []) => ({
  unanswered: among,
  ofTests: new Set(ofTests),
})

/** The message that a new report matches by its id. */
const named = (one: MatchableReport, among: MatchCandidate[], more: Partial<MatchFacts> = {}) =>
  matchReports([one], { submissions: among, reports: [], ...more }).get('report')?.name.messageId
/** The message that a report with an unknown id matches after it has waited. */
const paired = (one: MatchableReport, among: Unanswered[], ofTests: string[] = []) =>
  matchReports([one], { submissions: [], reports: [], waited: waited(among, ofTests) }).get('report')?.name.messageId
/** The segments that reports settle, in order. */
const segmentsOf = (reports: MatchableReport[], facts: MatchFacts) => {
  const matches = matchReports(reports, facts)
  return reports.map(({ id }) => matches.get(id)?.name.segment ?? null)
}

test('matches an id within its carrier, and only to earlier submissions', () => {
  assert.equal(named(report('id'), [submission(FIRST)]), FIRST)
  assert.equal(named(report('other id'), [submission(FIRST)]), undefined)
  assert.equal(named(report('id', { carrierId: 'other' }), [submission(FIRST)]), undefined)
  assert.equal(named(report('id'), [submission(FIRST, { claimedAt: later(5_000) })]), FIRST, 'clocks differ')
  assert.equal(named(report('id'), [submission(FIRST, { claimedAt: later(5_001) })]), undefined)
  assert.equal(named(report('null'), [submission(FIRST, { reference: null })]), undefined)
})

test("prefers the report's own number, then the latest message (D65)", () => {
  const [old, young] = [submission(FIRST), submission(SECOND, { claimedAt: later(HOUR_MS) })]
  const receivedAt = later(2 * HOUR_MS)
  assert.equal(named(report('id', { receivedAt }), [old, young]), SECOND)
  const toOther = { ...young, to: OTHER_NUMBER }
  assert.equal(named(report('id', { receivedAt }), [old, toOther]), FIRST)
  assert.equal(named(report('id', { receivedAt, to: '' }), [old, toOther]), SECOND)
  assert.equal(named(report('id', { receivedAt, to: '09841000001' }), [old, toOther]), FIRST, 'another spelling')
  assert.equal(named(report('id', { receivedAt, to: 'Shop' }), [old, toOther]), SECOND)
  assert.equal(named(report('id', { receivedAt, to: '+9779851234567' }), [old, toOther]), undefined)
})

test('matches only its own number after 72 hours, and only after it has waited (D65)', () => {
  const late = { receivedAt: later(72 * HOUR_MS) }
  assert.equal(named(report('id', { receivedAt: later(72 * HOUR_MS - 1) }), [submission(FIRST)]), FIRST)
  assert.equal(named(report('id', late), [submission(FIRST)]), undefined)
  assert.equal(named(report('id', late), [submission(FIRST)], { waited: waited() }), FIRST)
  assert.equal(named(report('id', { ...late, to: '' }), [submission(FIRST)], { waited: waited() }), undefined)
})

test('matches a report recognised by text only to its own number', () => {
  assert.equal(named(report('id', { byText: true }), [submission(FIRST)]), FIRST)
  assert.equal(named(report('id', { byText: true, to: '' }), [submission(FIRST)]), undefined)
  assert.equal(named(report('id', { byText: true, to: '09841000001' }), [submission(FIRST)]), undefined)
})

test('matches a submission without its number by its id alone, after a submission to the number (D77)', () => {
  const removed = submission(FIRST, { to: 'removed' })
  assert.equal(named(report('id'), [removed]), FIRST)
  assert.equal(named(report('id', { byText: true }), [removed]), FIRST)
  assert.equal(named(report('id'), [removed, submission(SECOND, { claimedAt: later(-HOUR_MS) })]), SECOND)
  assert.equal(named(report('id', { receivedAt: later(72 * HOUR_MS) }), [removed], { waited: waited() }), FIRST)
})

test('keeps a repeated report with its message; without a number it waits first, as it may precede an answer (D65)', () => {
  const known = submission(FIRST)
  const reports = [delivered(known)]
  const older = submission(SECOND, { claimedAt: later(-HOUR_MS) })
  assert.equal(named(report('id'), [known, older], { reports }), FIRST)
  assert.equal(named(report('id', { to: '' }), [known, older], { reports }), undefined)
  assert.equal(named(report('id', { to: '' }), [known, older], { reports, waited: waited() }), FIRST)
})

test('settles another segment with each final report under one id; a pending one settles none (D56)', () => {
  const submissions = [1, 2, 3].map((segment) => submission(FIRST, { segment }))
  const some = (['pending', 'delivered', 'pending', 'delivered', 'delivered', 'delivered'] as const).map(
    (status, index) => report('id', { id: `${index}`, status }),
  )
  assert.deepEqual(segmentsOf(some, { submissions, reports: [] }), [1, 1, 2, 2, 3, 1])
  const reports = [delivered(submissions[0] as MatchCandidate)]
  assert.deepEqual(segmentsOf(some.slice(0, 2), { submissions, reports }), [2, 2])
})

test('waits with a report for the answer of an open segment if no segment is free', () => {
  const submissions = [
    submission(FIRST, { segment: 1 }),
    submission(FIRST, { segment: 2, reference: null, outcome: 'open' }),
  ]
  const both = [report('id', { id: 'one' }), report('id', { id: 'other' })]
  assert.deepEqual(segmentsOf(both, { submissions, reports: [] }), [1, null])
  assert.deepEqual(segmentsOf(both, { submissions, reports: [], waited: waited() }), [1, 1])
})

test('matches reports in the order of their arrival', () => {
  const submissions = [1, 2].map((segment) => submission(FIRST, { segment }))
  const [first, second] = [report('id', { id: 'first' }), report('id', { id: 'second', receivedAt: later(1) })]
  assert.deepEqual(segmentsOf([second, first], { submissions, reports: [] }), [2, 1])
})

test('matches a report with our reference to that message, with or without its number (D15)', () => {
  const both = [unanswered(FIRST), unanswered(SECOND)]
  assert.equal(paired(report('a-word-of-the-carrier'), both), FIRST)
  assert.equal(paired(report(referenceOf(SECOND)), both), SECOND)
  assert.equal(paired(report(referenceOf(SECOND), { to: '' }), both), SECOND)
  assert.equal(paired(report('a-word-of-the-carrier', { to: '' }), both), undefined)
})

test('matches no report of another carrier, and none while an answer may still arrive (D15)', () => {
  assert.equal(paired(report(referenceOf(SECOND), { carrierId: 'other', to: '' }), [unanswered(SECOND)]), undefined)
  const both = [unanswered(FIRST), unanswered(SECOND, { isOpen: true })]
  assert.equal(paired(report(referenceOf(SECOND)), both), undefined)
  assert.equal(paired(report(referenceOf(FIRST)), both), FIRST)
})

test('matches by number only after waiting, and never a report on a test (D15)', () => {
  const facts = { submissions: [], reports: [] }
  assert.equal(matchReports([report('unknown')], facts).size, 0)
  const { by } =
    matchReports([report('unknown')], { ...facts, waited: waited([unanswered(FIRST)]) }).get('report') ?? {}
  assert.equal(by, 'number')
  assert.equal(paired(report('unknown'), [unanswered(FIRST)], ['report']), undefined)
})

test('does not match a known id as a missing answer', () => {
  const facts = { submissions: [submission(FIRST)], reports: [], waited: waited([unanswered(SECOND)]) }
  assert.deepEqual(matchReports([report('id')], facts).get('report'), {
    by: 'id',
    name: { messageId: FIRST, ordinal: 1, segment: 1 },
  })
})

test('accepts only well-formed ids as our references', () => {
  assert.equal(messageIdOf(referenceOf(FIRST)), FIRST)
  for (const text of [
    '',
    FIRST,
    'SM0193000000007000800000000000000',
    '01930000000040008000000000000001',
    'x'.repeat(32),
  ])
    assert.equal(messageIdOf(text), null, text)
})

// Properties: any reports of carriers.

const NUMBERS = [NUMBER, OTHER_NUMBER, '+14155550100']
const arbitraryTime = fc.integer({ min: -100 * HOUR_MS, max: HOUR_MS }).map(later)
const arbitraryMessage = fc.integer({ min: 1, max: 6 }).map((nth) => FIRST.replace(/1$/, `${nth}`))
const toOf = (messageId: string) => NUMBERS[Number(messageId.at(-1)) % NUMBERS.length] as string
const arbitraryName = fc.record({
  messageId: arbitraryMessage,
  ordinal: fc.integer({ min: 1, max: 2 }),
  segment: fc.integer({ min: 1, max: 3 }),
  carrierId: fc.constantFrom('carrier', 'other'),
  claimedAt: arbitraryTime,
})
const arbitrarySubmissions = fc.uniqueArray(
  fc
    .record({
      name: arbitraryName,
      reference: fc.constantFrom('1', '2', null),
      outcome: fc.constantFrom('unknown', 'open', 'rejected'),
    })
    .map(({ name, reference, outcome }) => ({
      ...name,
      to: toOf(name.messageId),
      reference,
      outcome: reference === null ? outcome : ('accepted' as const),
    })),
  { selector: ({ messageId, ordinal, segment }) => `${messageId} ${ordinal} ${segment}`, maxLength: 20 },
)
const arbitraryReports = fc
  .array(
    fc.record({
      carrierId: fc.constantFrom('carrier', 'other'),
      reference: fc.constantFrom('1', '2', 'unknown', referenceOf(FIRST)),
      to: fc.constantFrom(...NUMBERS, '', 'Shop', '09841000001'),
      byText: fc.boolean(),
      status: fc.constantFrom('pending', 'delivered', 'undelivered'),
      receivedAt: arbitraryTime,
    }),
    { maxLength: 12 },
  )
  .map((some): MatchableReport[] => some.map((it, index) => ({ id: `${index}`, ...it })))
const arbitraryFacts = fc
  .record({ submissions: arbitrarySubmissions, isDecided: fc.func(fc.boolean()), hasWaited: fc.boolean() })
  .map(({ submissions, isDecided, hasWaited }): MatchFacts => {
    const reports = submissions.filter((it) => it.reference !== null && isDecided(it)).map(delivered)
    const open = submissions
      .filter((it) => it.outcome === 'unknown' || it.outcome === 'open')
      .map((it) => ({ ...it, isOpen: it.outcome === 'open' }))
    return { submissions, reports, ...(hasWaited && { waited: waited(open) }) }
  })

test('allows each match by its carrier, id, number and time (property)', () => {
  fc.assert(
    fc.property(arbitraryReports, arbitraryFacts, (reports, facts) => {
      const matches = matchReports(reports, facts)
      for (const one of reports) {
        const match = matches.get(one.id)
        if (!match) continue
        const about = facts.submissions.find(
          ({ messageId, ordinal, segment }) =>
            messageId === match.name.messageId && ordinal === match.name.ordinal && segment === match.name.segment,
        )
        assert.ok(about)
        assert.equal(about.carrierId, one.carrierId)
        const isOurs = one.reference === referenceOf(about.messageId)
        assert.ok(about.claimedAt <= new Date(one.receivedAt.getTime() + 5_000) || isOurs)
        if (match.by === 'number') {
          assert.ok(facts.waited && about.outcome === 'unknown' && (isOurs || about.to === one.to))
        } else {
          assert.equal(about.reference, one.reference)
          assert.ok(about.to === one.to || (!one.byText && (!/\d/.test(one.to) || about.to.endsWith(one.to.slice(-8)))))
          const { since, until } = matchScopeOf(one, { hasWaited: facts.waited !== undefined })
          assert.ok(about.claimedAt > since && about.claimedAt <= until, 'the scope contains every candidate')
        }
      }
    }),
  )
})

test('does not depend on the order of loaded submissions (property)', () => {
  fc.assert(
    fc.property(arbitraryReports, arbitraryFacts, (reports, facts) => {
      const reversed = { ...facts, submissions: facts.submissions.toReversed(), reports: facts.reports.toReversed() }
      const namesOf = (matches: ReturnType<typeof matchReports>) =>
        [...matches].filter(([, { by }]) => by === 'id').map(([id, { name }]) => [id, name])
      assert.deepEqual(namesOf(matchReports(reports, facts)), namesOf(matchReports(reports, reversed)))
    }),
  )
})

test('never matches two unknown ids to one submission (property)', () => {
  fc.assert(
    fc.property(arbitraryReports, arbitraryFacts, (reports, facts) => {
      const calledBy = new Map<string, string>()
      const matches = matchReports(reports, facts)
      for (const { id, carrierId, to, reference } of reports) {
        const match = matches.get(id)
        if (match?.by !== 'number') continue
        const called = `${carrierId} ${to} ${reference}`
        assert.equal(calledBy.getOrInsert(JSON.stringify(match.name), called), called)
      }
    }),
  )
})

test('matches every report in time to its own submission if ids are unique (property)', () => {
  fc.assert(
    fc.property(arbitrarySubmissions, fc.boolean(), (some, hasNumber) => {
      const submissions = some.map((it, index) => ({ ...it, reference: `${index}`, outcome: 'accepted' as const }))
      const reports = submissions.map(({ carrierId, reference, to, claimedAt }) =>
        report(reference, { id: reference, carrierId, to: hasNumber ? to : '', receivedAt: claimedAt }),
      )
      const matches = matchReports(reports, { submissions, reports: [] })
      for (const { messageId, ordinal, segment, reference } of submissions)
        assert.deepEqual(matches.get(reference), { by: 'id', name: { messageId, ordinal, segment } })
    }),
  )
})
