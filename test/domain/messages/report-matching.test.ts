// D13, D15, D65: which submission a report is about.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type MatchableReport,
  type MatchCandidate,
  type MatchFacts,
  matchReports,
  scopeOf,
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

/** The message that a new report is about by its id. */
const named = (one: MatchableReport, among: MatchCandidate[], more: Partial<MatchFacts> = {}) =>
  matchReports([one], { submissions: among, reports: [], ...more }).get('report')?.name.messageId
/** The message that a report is about which has waited, and whose id nobody knows. */
const paired = (one: MatchableReport, among: Unanswered[], ofTests: string[] = []) =>
  matchReports([one], { submissions: [], reports: [], waited: waited(among, ofTests) }).get('report')?.name.messageId
/** The segments that reports take, in their order. */
const segmentsOf = (reports: MatchableReport[], facts: MatchFacts) => {
  const matches = matchReports(reports, facts)
  return reports.map(({ id }) => matches.get(id)?.name.segment ?? null)
}

test('an id belongs to its carrier, and to what was submitted before the report came', () => {
  assert.equal(named(report('id'), [submission(FIRST)]), FIRST)
  assert.equal(named(report('other id'), [submission(FIRST)]), undefined)
  assert.equal(named(report('id', { carrierId: 'other' }), [submission(FIRST)]), undefined)
  assert.equal(named(report('id'), [submission(FIRST, { claimedAt: later(5_000) })]), FIRST, 'clocks differ')
  assert.equal(named(report('id'), [submission(FIRST, { claimedAt: later(5_001) })]), undefined)
  assert.equal(named(report('null'), [submission(FIRST, { reference: null })]), undefined)
})

test('D65: of its own number before others, then the latest', () => {
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

test('D65: after 72 hours only its own number counts, and only once it has waited', () => {
  const late = { receivedAt: later(72 * HOUR_MS) }
  assert.equal(named(report('id', { receivedAt: later(72 * HOUR_MS - 1) }), [submission(FIRST)]), FIRST)
  assert.equal(named(report('id', late), [submission(FIRST)]), undefined)
  assert.equal(named(report('id', late), [submission(FIRST)], { waited: waited() }), FIRST)
  assert.equal(named(report('id', { ...late, to: '' }), [submission(FIRST)], { waited: waited() }), undefined)
})

test('a report that is known by its text alone counts from its own number, and no other', () => {
  assert.equal(named(report('id', { byText: true }), [submission(FIRST)]), FIRST)
  assert.equal(named(report('id', { byText: true, to: '' }), [submission(FIRST)]), undefined)
  assert.equal(named(report('id', { byText: true, to: '09841000001' }), [submission(FIRST)]), undefined)
})

test('D65: a repeat stays with its message; without a number it waits first, for it may be ahead of an answer', () => {
  const known = submission(FIRST)
  const reports = [delivered(known)]
  const older = submission(SECOND, { claimedAt: later(-HOUR_MS) })
  assert.equal(named(report('id'), [known, older], { reports }), FIRST)
  assert.equal(named(report('id', { to: '' }), [known, older], { reports }), undefined)
  assert.equal(named(report('id', { to: '' }), [known, older], { reports, waited: waited() }), FIRST)
})

test('D56: of segments under one id every final report takes another; one that is not final takes none', () => {
  const submissions = [1, 2, 3].map((segment) => submission(FIRST, { segment }))
  const some = (['pending', 'delivered', 'pending', 'delivered', 'delivered', 'delivered'] as const).map(
    (status, index) => report('id', { id: `${index}`, status }),
  )
  assert.deepEqual(segmentsOf(some, { submissions, reports: [] }), [1, 1, 2, 2, 3, 1])
  const reports = [delivered(submissions[0] as MatchCandidate)]
  assert.deepEqual(segmentsOf(some.slice(0, 2), { submissions, reports }), [2, 2])
})

test('while a segment of the message is open, a report that finds none free waits for its answer', () => {
  const submissions = [
    submission(FIRST, { segment: 1 }),
    submission(FIRST, { segment: 2, reference: null, outcome: 'open' }),
  ]
  const both = [report('id', { id: 'one' }), report('id', { id: 'other' })]
  assert.deepEqual(segmentsOf(both, { submissions, reports: [] }), [1, null])
  assert.deepEqual(segmentsOf(both, { submissions, reports: [], waited: waited() }), [1, 1])
})

test('reports are matched in the order in which they came, whatever the order of the list', () => {
  const submissions = [1, 2].map((segment) => submission(FIRST, { segment }))
  const [first, second] = [report('id', { id: 'first' }), report('id', { id: 'second', receivedAt: later(1) })]
  assert.deepEqual(segmentsOf([second, first], { submissions, reports: [] }), [2, 1])
})

test('D15: a report that names a message by our reference is about that one, with or without its number', () => {
  const both = [unanswered(FIRST), unanswered(SECOND)]
  assert.equal(paired(report('a-word-of-the-carrier'), both), FIRST)
  assert.equal(paired(report(referenceOf(SECOND)), both), SECOND)
  assert.equal(paired(report(referenceOf(SECOND), { to: '' }), both), SECOND)
  assert.equal(paired(report('a-word-of-the-carrier', { to: '' }), both), undefined)
})

test('D15: another carrier cannot speak of it, and while its answer may come nobody does', () => {
  assert.equal(paired(report(referenceOf(SECOND), { carrierId: 'other', to: '' }), [unanswered(SECOND)]), undefined)
  const both = [unanswered(FIRST), unanswered(SECOND, { isOpen: true })]
  assert.equal(paired(report(referenceOf(SECOND)), both), undefined)
  assert.equal(paired(report(referenceOf(FIRST)), both), FIRST)
})

test('D15: by its number a report is matched only once it has waited, and never one of a test', () => {
  const facts = { submissions: [], reports: [] }
  assert.equal(matchReports([report('unknown')], facts).size, 0)
  const { by } =
    matchReports([report('unknown')], { ...facts, waited: waited([unanswered(FIRST)]) }).get('report') ?? {}
  assert.equal(by, 'number')
  assert.equal(paired(report('unknown'), [unanswered(FIRST)], ['report']), undefined)
})

test('what is known by its id is no missing answer', () => {
  const facts = { submissions: [submission(FIRST)], reports: [], waited: waited([unanswered(SECOND)]) }
  assert.deepEqual(matchReports([report('id')], facts).get('report'), {
    by: 'id',
    name: { messageId: FIRST, ordinal: 1, segment: 1 },
  })
})

test('only what can be an id of ours is taken for one', () => {
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

// From here on: whatever carriers do.

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

test('whatever carriers report: each match is allowed by its carrier, id, number and time', () => {
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
          const { since, until } = scopeOf(one, { hasWaited: facts.waited !== undefined })
          assert.ok(about.claimedAt > since && about.claimedAt <= until, 'the store finds all that may be meant')
        }
      }
    }),
  )
})

test('whatever carriers report: the order in which submissions were loaded decides nothing', () => {
  fc.assert(
    fc.property(arbitraryReports, arbitraryFacts, (reports, facts) => {
      const reversed = { ...facts, submissions: facts.submissions.toReversed(), reports: facts.reports.toReversed() }
      const namesOf = (matches: ReturnType<typeof matchReports>) =>
        [...matches].filter(([, { by }]) => by === 'id').map(([id, { name }]) => [id, name])
      assert.deepEqual(namesOf(matchReports(reports, facts)), namesOf(matchReports(reports, reversed)))
    }),
  )
})

test('whatever carriers report: two ids that nobody knows never stand for one submission', () => {
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

test('where every submission has an id of its own, every report in time finds its own', () => {
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
