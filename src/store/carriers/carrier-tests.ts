// Carrier tests: each bind is checked by the process that leases it, and one bind can send a test message.
import type { BindMode, BindState } from '../../domain/carriers/bind.ts'
import type { TestStep } from '../../domain/carriers/carrier.ts'
import type { Report } from '../../domain/messages/report.ts'
import type { SubmissionAnswer } from '../../domain/messages/submission.ts'
import { REMOVED_NUMBER } from '../../domain/people/masking.ts'
import type { Queries, Tx } from '../database/db.ts'
import { fragment, sql } from '../database/sql.ts'

const MAX_TESTS_SHOWN = 20

interface TestedBind {
  number: number
  mode: BindMode
  state: BindState
  boundAt: Date | null
  milliseconds: number | null
  fault: string | null
  answeredAt: Date | null
  steps: TestStep[]
}

export interface CarrierTest {
  id: string
  carrierId: string
  startedAt: Date
  to: string | null
  text: string | null
  outcome: SubmissionAnswer['outcome'] | null
  commandStatus: number | null
  carrierMessageId: string | null
  milliseconds: number | null
  answeredAt: Date | null
  reportState: string | null
  reportCode: string | null
  reportRaw: string | null
  reportedAt: Date | null
  binds: TestedBind[]
}

type NewTest = Pick<CarrierTest, 'id' | 'carrierId' | 'startedAt' | 'to' | 'text'>
/** A bind without a process is stored with its fault. */
export type NewTestedBind = TestedBind & { processId: string | null; sends: boolean }

export async function insertTest(tx: Tx, test: NewTest, binds: NewTestedBind[]): Promise<void> {
  const { id, carrierId, startedAt, to, text } = test
  await tx.query(sql`
    insert into carrier_test (id, carrier_id, started_at, to_number, text)
    values (${id}, ${carrierId}, ${startedAt}, ${to}, ${text})`)
  await tx.query(sql`
    insert into carrier_test_bind (
      test_id, number, mode, state, bound_at, process_id, sends_message, started_at, milliseconds, fault, answered_at)
    select ${id}, number, mode, state, bound_at, process_id, sends_message, answered_at, null, fault, answered_at
    from unnest(
      ${binds.map((it) => it.number)}::smallint[], ${binds.map((it) => it.mode)}::text[],
      ${binds.map((it) => it.state)}::text[], ${binds.map((it) => it.boundAt)}::timestamptz[],
      ${binds.map((it) => it.processId)}::uuid[], ${binds.map((it) => it.sends)}::boolean[],
      ${binds.map((it) => it.fault)}::text[], ${binds.map((it) => it.answeredAt)}::timestamptz[]
    ) as bind (number, mode, state, bound_at, process_id, sends_message, fault, answered_at)`)
}

export interface ClaimedTest {
  testId: string
  carrierId: string
  number: number
  /** The message that this bind sends; null for a bind that only checks the connection. */
  message: { to: string; text: string } | null
}

/** Claims the open tests of this process. A test older than `since` is never run. */
export async function claimTests(
  db: Queries,
  taking: { processId: string; since: Date; now: Date },
): Promise<ClaimedTest[]> {
  const { processId, since, now } = taking
  const rows = await db.query<
    Omit<ClaimedTest, 'message'> & { sends: boolean; to: string | null; text: string | null }
  >(
    sql`
    update carrier_test_bind bind set started_at = ${now}
    from carrier_test test
    where bind.process_id = ${processId} and bind.started_at is null and test.id = bind.test_id and test.started_at > ${since}
    returning bind.test_id as "testId", test.carrier_id as "carrierId", bind.number, bind.sends_message as sends, test.to_number as to, test.text`,
  )
  return rows.map(({ sends, to, text, ...taken }) => ({
    ...taken,
    message: sends && to !== null && text !== null ? { to, text } : null,
  }))
}

export async function storeEnquiry(
  db: Queries,
  it: {
    testId: string
    number: number
    milliseconds: number | null
    fault: string | null
    steps: TestStep[]
    now: Date
  },
): Promise<void> {
  await db.query(sql`
    update carrier_test_bind set milliseconds = ${it.milliseconds}, fault = ${it.fault}, answered_at = ${it.now},
      steps = ${JSON.stringify(it.steps)}::jsonb || steps
    where test_id = ${it.testId} and number = ${it.number}`)
}

export type TestAnswer = Pick<SubmissionAnswer, 'outcome' | 'commandStatus' | 'carrierMessageId' | 'reference'> & {
  testId: string
  milliseconds: number
  /** The carrier's response. */
  said: string | null
  /** Why the response is missing or invalid. */
  fault: string | null
  now: Date
}

export async function storeTestAnswer(db: Queries, it: TestAnswer): Promise<void> {
  const { said, fault, milliseconds } = it
  const steps: TestStep[] =
    said === null && fault === null ? [] : [{ step: 'answer', detail: said ?? '', fault, milliseconds }]
  // One statement, so that a reader who sees the answer also sees the steps.
  await db.query(sql`
    with result as (
      update carrier_test_bind set steps = steps || ${JSON.stringify(steps)}::jsonb
      where test_id = ${it.testId} and sends_message
        and not exists (select from carrier_test where id = ${it.testId} and to_number = ${REMOVED_NUMBER})
    )
    update carrier_test set outcome = ${it.outcome}, command_status = ${it.commandStatus},
      carrier_message_id = ${it.carrierMessageId}, reference = ${it.reference}, milliseconds = ${milliseconds},
      answered_at = ${it.now}
    where id = ${it.testId}`)
}

/** Ids of the reports that belong to a test message. */
export async function listTestReportIds(tx: Tx, reports: Report[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    select report.id from unnest(
        ${reports.map((it) => it.carrierId)}::uuid[], ${reports.map((it) => it.reference)}::text[],
        ${reports.map((it) => it.id)}::uuid[]
      ) as report (carrier_id, reference, id)
    where exists (
      select from carrier_test test where test.carrier_id = report.carrier_id and test.reference = report.reference)`)
  return new Set(rows.map((row) => row.id))
}

/** Stores the reports that belong to a test message and returns their ids. The last report replaces earlier ones. */
export async function storeTestReports(tx: Tx, reports: Report[]): Promise<Set<string>> {
  if (reports.length === 0) return new Set()
  const rows = await tx.query<{ id: string }>(sql`
    with known as (
      select test.id as test_id, report.* from unnest(
          ${reports.map((it) => it.carrierId)}::uuid[], ${reports.map((it) => it.reference)}::text[],
          ${reports.map((it) => it.id)}::uuid[], ${reports.map((it) => it.state)}::text[],
          ${reports.map((it) => it.code)}::text[], ${reports.map((it) => it.raw)}::text[],
          ${reports.map((it) => it.receivedAt)}::timestamptz[]
        ) as report (carrier_id, reference, id, state, code, raw, received_at)
        join carrier_test test on test.carrier_id = report.carrier_id and test.reference = report.reference
    ), kept as (
      update carrier_test test set report_state = last.state, report_code = last.code, reported_at = last.received_at,
        report_raw = case when test.to_number = ${REMOVED_NUMBER} then '' else last.raw end
      from (select distinct on (test_id) * from known order by test_id, id desc) as last where test.id = last.test_id
    )
    select distinct id from known`)
  return new Set(rows.map((row) => row.id))
}

const columns = fragment`
  test.id, test.carrier_id as "carrierId", test.started_at as "startedAt", test.to_number as to, test.text, test.outcome,
  test.command_status as "commandStatus", test.carrier_message_id as "carrierMessageId", test.milliseconds,
  test.answered_at as "answeredAt", test.report_state as "reportState", test.report_code as "reportCode",
  test.report_raw as "reportRaw", test.reported_at as "reportedAt"`

export async function findTest(db: Queries, id: string): Promise<CarrierTest | null> {
  const tests = await db.query<CarrierTest>(sql`select ${columns} from carrier_test test where id = ${id}`)
  return (await addBinds(db, tests))[0] ?? null
}

/** Newest first. */
export async function listTests(db: Queries, carrierId: string): Promise<CarrierTest[]> {
  const tests = await db.query<CarrierTest>(sql`
    select ${columns} from carrier_test test where carrier_id = ${carrierId} order by id desc limit ${MAX_TESTS_SHOWN}`)
  return addBinds(db, tests)
}

async function addBinds(db: Queries, tests: CarrierTest[]): Promise<CarrierTest[]> {
  const binds = await db.query<TestedBind & { testId: string }>(sql`
    select test_id as "testId", number, mode, state, bound_at as "boundAt", milliseconds, fault, answered_at as "answeredAt", steps
    from carrier_test_bind where test_id = any(${tests.map((it) => it.id)}::uuid[]) order by test_id, number`)
  const ofTest = Map.groupBy(binds, (bind) => bind.testId)
  return tests.map((test) => ({ ...test, binds: (ofTest.get(test.id) ?? []).map(({ testId: _, ...bind }) => bind) }))
}
