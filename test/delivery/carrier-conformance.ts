// Guarantees of every protocol behind delivery/connection.ts, tested over real sockets against a controllable far end.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type {
  Connection,
  ConnectionEvents,
  Delivered,
  OutgoingSegment,
  SubmissionResult,
} from '../../src/delivery/connection.ts'
import { until } from '../harness/until.ts'

export type FarEndBehavior = 'accept' | 'invalid number' | 'not now' | 'throttled' | 'no response'

/** The carrier's side. */
export interface FarEnd {
  /** The recipients of the submissions, in order. */
  readonly given: readonly string[]
  /** The behavior for further submissions; responses wait for `held`. */
  decide(fate: FarEndBehavior, held?: Promise<unknown>): void
  /** Delivers to us and returns our response: accepted, or deliver again. */
  report(to: string, state: 'DELIVRD' | 'UNDELIV'): Promise<'kept' | 'again'>
  reply(from: string, text: string): Promise<'kept' | 'again'>
  /** Closes every link. */
  disconnect(): void
  /** The number of open links. */
  readonly links: number
}

export interface CarrierKind {
  name: string
  /** Whether reports and replies come over the connection itself. */
  deliversReports: boolean
  open(
    t: TestContext,
    settings: { window: number; answerSeconds: number; events: ConnectionEvents },
  ): Promise<{ connection: Connection; farEnd: FarEnd }>
}

const WINDOW = 4
const SHORT_SECONDS = 0.2

export function conforms(kind: CarrierKind): void {
  const guarantee = (title: string, run: (t: TestContext) => Promise<void>) => {
    test(`${kind.name}: ${title}`, run)
  }
  const guaranteeOfDelivery = (title: string, run: (t: TestContext) => Promise<void>) => {
    if (kind.deliversReports) guarantee(title, run)
  }

  async function connect(t: TestContext, { answerSeconds = 30, receive = async () => {} }: Partial<Settings> = {}) {
    let changes = 0
    const events = { receive, changed: () => void changes++ }
    const { connection, farEnd } = await kind.open(t, { window: WINDOW, answerSeconds, events })
    await connection.firstAttempt
    const late: SubmissionResult[] = []
    const submit = (to: string, fields: Partial<OutgoingSegment> = {}) =>
      new Promise<SubmissionResult>((onResult) => {
        const onLateAnswer = (submitted: SubmissionResult) => void late.push(submitted)
        connection.submit({ ...segmentTo(to), ...fields }, { onResult, onLateAnswer })
      })
    return { connection, farEnd, late, submit, changes: () => changes }
  }

  guarantee('an accepted submission has a normalized message ID', async (t) => {
    const { farEnd, submit } = await connect(t)
    farEnd.decide('accept')
    const submitted = await submit('+9779841000001')
    assert.deepEqual(farEnd.given, ['+9779841000001'])
    assert.equal(submitted.outcome, 'accepted')
    assert(submitted.carrierMessageId && submitted.reference)
  })

  guarantee('a rejection is permanent, temporary or a rate limit', async (t) => {
    const { farEnd, submit } = await connect(t)
    for (const [fate, outcome, error] of [
      ['invalid number', 'rejected', 'invalid_number'],
      ['not now', 'other_carrier', ''],
      ['throttled', 'throttled', ''],
    ] as const) {
      farEnd.decide(fate)
      const submitted = await submit('+9779841000001')
      assert.deepEqual([submitted.outcome, submitted.error], [outcome, error])
      assert(submitted.said, "the carrier's status is kept")
      assert.equal(submitted.carrierMessageId, null)
    }
  })

  guarantee('D15: no response in time is unknown, and a late response is reported', async (t) => {
    const { farEnd, late, submit } = await connect(t, { answerSeconds: SHORT_SECONDS })
    const { promise, resolve } = Promise.withResolvers<void>()
    farEnd.decide('accept', promise)
    assert.equal((await submit('+9779841000001')).outcome, 'unknown')
    assert.equal(late.length, 0)
    resolve()
    const answer = await until(() => late[0])
    assert.equal(answer.outcome, 'accepted')
    assert(answer.reference)
  })

  guarantee('an enquiry measures the response time, also with a full window', async (t) => {
    const { connection, farEnd, submit } = await connect(t)
    farEnd.decide('no response')
    const submitting = Array.from({ length: WINDOW }, (_, index) => submit(`+977984100000${index}`))
    await until(() => farEnd.given.length === WINDOW)
    const enquired = await connection.enquire()
    assert.ok('milliseconds' in enquired && enquired.milliseconds >= 0, JSON.stringify(enquired))
    farEnd.disconnect()
    await Promise.all(submitting)
    await until(() => connection.places === 0)
    assert.ok('fault' in (await connection.enquire()), 'a lost link gives no response')
  })

  guarantee('no more than the window is in flight, further submissions wait, and none is lost', async (t) => {
    const { connection, farEnd, submit } = await connect(t)
    const { promise, resolve } = Promise.withResolvers<void>()
    farEnd.decide('accept', promise)
    assert.deepEqual([connection.places, connection.room], [WINDOW, WINDOW])
    const numbers = Array.from({ length: WINDOW + 3 }, (_, index) => `+977984100000${index}`)
    const submitting = numbers.map((to) => submit(to))
    await until(() => farEnd.given.length === WINDOW)
    assert.equal(connection.room, 0)
    assert.equal(connection.health.inFlight, WINDOW)
    // A response to an enquiry proves that nothing else was written.
    if (kind.deliversReports) assert.equal(await farEnd.reply('+9779841000009', 'x'), 'kept')
    else assert.ok('milliseconds' in (await connection.enquire()))
    assert.equal(farEnd.given.length, WINDOW)
    resolve()
    const outcomes = (await Promise.all(submitting)).map((it) => it.outcome)
    assert.deepEqual(new Set(outcomes), new Set(['accepted']))
    assert.deepEqual(farEnd.given, numbers)
    assert.equal(connection.room, WINDOW)
  })

  guarantee('a message that cannot be encoded is rejected before it is sent', async (t) => {
    const { farEnd, submit } = await connect(t)
    farEnd.decide('accept')
    const submitted = await submit('+9779841000001', { source: { kind: 'word', address: 'a\u0000b' } })
    assert.deepEqual([submitted.outcome, submitted.error], ['rejected', 'carrier_rejected'])
    assert.deepEqual(farEnd.given, [])
  })

  guaranteeOfDelivery('reports and replies are handed over, and acknowledged only once they are stored', async (t) => {
    const heard: Delivered[] = []
    const { promise: stored, resolve: store } = Promise.withResolvers<void>()
    const receive = async (delivered: Delivered) => {
      heard.push(delivered)
      await stored
    }
    const { farEnd, submit } = await connect(t, { receive })
    farEnd.decide('accept')
    const { reference } = await submit('+9779841000001')
    let answered = 0
    const count = () => void answered++
    const telling = [
      farEnd.report('+9779841000001', 'DELIVRD').finally(count),
      farEnd.reply('+9779841000002', 'YES').finally(count),
    ]
    await until(() => heard.length === 2)
    // After a full round trip there is no response to either.
    await submit('+9779841000003')
    assert.equal(answered, 0)
    store()
    assert.deepEqual(await Promise.all(telling), ['kept', 'kept'])
    const words = heard.map((it) => it.read())
    const report = words.find((it) => it.kind === 'report')?.report
    assert.deepEqual([report?.reference, report?.to, report?.status], [reference, '+9779841000001', 'delivered'])
    const reply = words.find((it) => it.kind === 'reply')?.reply
    assert.deepEqual([reply?.from, reply?.text], ['+9779841000002', 'YES'])
  })

  guaranteeOfDelivery('what could not be stored is asked for again, and known again by its fingerprint', async (t) => {
    const heard: string[] = []
    const receive = async (delivered: Delivered) => {
      heard.push(delivered.fingerprint())
      if (heard.length < 3) throw new Error('no room on the disk')
    }
    const { farEnd, submit } = await connect(t, { receive })
    farEnd.decide('accept')
    await submit('+9779841000001')
    assert.equal(await farEnd.report('+9779841000001', 'UNDELIV'), 'again')
    assert.equal(await farEnd.reply('+9779841000002', 'YES'), 'again')
    assert.equal(await farEnd.report('+9779841000001', 'UNDELIV'), 'kept')
    assert.equal(heard[0], heard[2])
    assert.notEqual(heard[0], heard[1])
  })

  guaranteeOfDelivery('responses are processed while deliveries are being stored', async (t) => {
    const { promise: stored, resolve: store } = Promise.withResolvers<void>()
    const { farEnd, submit } = await connect(t, { receive: () => stored })
    farEnd.decide('accept')
    const told = farEnd.reply('+9779841000002', 'YES')
    for (let count = 0; count < 20; count++) assert.equal((await submit('+9779841000001')).outcome, 'accepted')
    store()
    assert.equal(await told, 'kept')
  })

  guarantee('a lost link settles its submissions as unknown and reconnects', async (t) => {
    const { connection, farEnd, submit, changes } = await connect(t)
    farEnd.decide('no response')
    const submitting = Array.from({ length: WINDOW + 1 }, (_, index) => submit(`+977984100000${index}`))
    await until(() => farEnd.given.length === WINDOW)
    const before = changes()
    farEnd.disconnect()
    const outcomes = (await Promise.all(submitting)).map((it) => it.outcome)
    assert.deepEqual(outcomes, [...Array(WINDOW).fill('unknown'), 'unwritten'])
    await until(() => connection.places === 0)
    assert.equal((await submit('+9779841000009')).outcome, 'unwritten')
    assert(connection.health.lastError)
    await until(() => connection.places === WINDOW)
    assert(changes() > before)
    assert.equal(connection.health.state, 'bound')
    farEnd.decide('accept')
    assert.equal((await submit('+9779841000008')).outcome, 'accepted')
  })

  guarantee('a restart waits for submissions in flight and opens a new link', async (t) => {
    const { connection, farEnd, submit } = await connect(t)
    const { promise, resolve } = Promise.withResolvers<void>()
    farEnd.decide('accept', promise)
    const submitting = submit('+9779841000001')
    await until(() => farEnd.given.length === 1)
    connection.restart('no response to submissions')
    assert.equal((await submit('+9779841000002')).outcome, 'unwritten')
    resolve()
    assert.equal((await submitting).outcome, 'accepted')
    await until(() => connection.health.lastError === 'no response to submissions')
    await until(() => connection.places === WINDOW)
    assert.equal((await submit('+9779841000003')).outcome, 'accepted')
    assert.equal(farEnd.links, 1)
  })

  guarantee('closing waits for submissions in flight and accepts nothing new', async (t) => {
    const { connection, farEnd, submit } = await connect(t)
    const { promise, resolve } = Promise.withResolvers<void>()
    farEnd.decide('accept', promise)
    const submitting = Array.from({ length: WINDOW + 2 }, (_, index) => submit(`+977984100000${index}`))
    await until(() => farEnd.given.length === WINDOW)
    const closing = connection.close()
    assert.equal((await submit('+9779841000009')).outcome, 'unwritten')
    resolve()
    const outcomes = (await Promise.all(submitting)).map((it) => it.outcome)
    assert.deepEqual(outcomes, [...Array(WINDOW).fill('accepted'), 'unwritten', 'unwritten'])
    await closing
    await until(() => farEnd.links === 0)
    assert.equal(connection.health.state, 'idle')
    assert.equal(farEnd.given.length, WINDOW)
  })

  guarantee('abort settles every submission without waiting', async (t) => {
    const { connection, farEnd, submit } = await connect(t)
    farEnd.decide('no response')
    const submitting = Array.from({ length: WINDOW }, (_, index) => submit(`+977984100000${index}`))
    await until(() => farEnd.given.length === WINDOW)
    const closing = connection.close()
    connection.abort()
    const outcomes = (await Promise.all(submitting)).map((it) => it.outcome)
    assert.deepEqual(outcomes, Array(WINDOW).fill('unknown'))
    await closing
  })
}

interface Settings {
  answerSeconds: number
  receive: ConnectionEvents['receive']
}

function segmentTo(to: string): OutgoingSegment {
  return {
    messageId: '01930000-0000-7000-8000-000000000001',
    type: 'transactional',
    to,
    source: { kind: 'word', address: 'Brand' },
    text: 'Hello',
    segment: 1,
    ofSegments: 1,
    expiresAt: new Date(Date.now() + 3600_000),
    requestsReceipt: true,
    fields: {},
  }
}
