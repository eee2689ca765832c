// What every kind of carrier must do behind delivery/connection.ts, whatever it speaks: a kind brings a far end that a test can play,
// and passes all of this over a real wire.
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

export type Fate = 'taken' | 'invalid number' | 'not now' | 'throttled' | 'never answered'

/** The carrier's side of it. */
export interface FarEnd {
  /** The numbers of the submissions it was given, in the order they came. */
  readonly given: readonly string[]
  /** What it does with those that come from now on, the answers once `held` has come out. */
  decide(fate: Fate, held?: Promise<unknown>): void
  /** It tells us something, and how we answer: that we have it, or that it shall say it again. */
  report(to: string, state: 'DELIVRD' | 'UNDELIV'): Promise<'kept' | 'again'>
  reply(from: string, text: string): Promise<'kept' | 'again'>
  /** Cuts every link. */
  disconnect(): void
  /** Links that stand. */
  readonly links: number
}

export interface CarrierKind {
  name: string
  /** Whether it reports and replies over the connection itself; else that is not the connection's to promise. */
  tellsByItself: boolean
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
  const guaranteeOfTelling = (title: string, run: (t: TestContext) => Promise<void>) => {
    if (kind.tellsByItself) guarantee(title, run)
  }

  async function connect(t: TestContext, { answerSeconds = 30, receive = async () => {} }: Partial<Settings> = {}) {
    let changes = 0
    const events = { receive, changed: () => void changes++ }
    const { connection, farEnd } = await kind.open(t, { window: WINDOW, answerSeconds, events })
    await connection.firstAttempt
    const late: SubmissionResult[] = []
    const submit = (to: string, fields: Partial<OutgoingSegment> = {}) =>
      connection.submit({ ...segmentTo(to), ...fields }, (submitted) => late.push(submitted))
    return { connection, farEnd, late, submit, changes: () => changes }
  }

  guarantee('what it takes has an id of its own, in one spelling', async (t) => {
    const { farEnd, submit } = await connect(t)
    farEnd.decide('taken')
    const submitted = await submit('+9779841000001')
    assert.deepEqual(farEnd.given, ['+9779841000001'])
    assert.equal(submitted.outcome, 'taken')
    assert(submitted.carrierMessageId && submitted.reference)
  })

  guarantee('a refusal says whether it is for good, for now, or for the speed of the account', async (t) => {
    const { farEnd, submit } = await connect(t)
    for (const [fate, outcome, error] of [
      ['invalid number', 'refused', 'invalid_number'],
      ['not now', 'elsewhere', ''],
      ['throttled', 'slow', ''],
    ] as const) {
      farEnd.decide(fate)
      const submitted = await submit('+9779841000001')
      assert.deepEqual([submitted.outcome, submitted.error], [outcome, error])
      assert(submitted.said, 'the carrier is quoted')
      assert.equal(submitted.carrierMessageId, null)
    }
  })

  guarantee('D15: no answer in time is unknown, and an answer that comes late is heard', async (t) => {
    const { farEnd, late, submit } = await connect(t, { answerSeconds: SHORT_SECONDS })
    const { promise, resolve } = Promise.withResolvers<void>()
    farEnd.decide('taken', promise)
    assert.equal((await submit('+9779841000001')).outcome, 'unknown')
    assert.equal(late.length, 0)
    resolve()
    const answer = await until(() => late[0])
    assert.equal(answer.outcome, 'taken')
    assert(answer.reference)
  })

  guarantee(
    'asked whether the carrier is there, it tells how long the answer took, also while its window is full',
    async (t) => {
      const { connection, farEnd, submit } = await connect(t)
      farEnd.decide('never answered')
      const submitting = Array.from({ length: WINDOW }, (_, index) => submit(`+977984100000${index}`))
      await until(() => farEnd.given.length === WINDOW)
      const enquired = await connection.enquire()
      assert.ok('milliseconds' in enquired && enquired.milliseconds >= 0, JSON.stringify(enquired))
      farEnd.disconnect()
      await Promise.all(submitting)
      await until(() => connection.places === 0)
      assert.ok('fault' in (await connection.enquire()), 'a link that is lost answers nothing')
    },
  )

  guarantee('the window is kept to: no more is under way, what is beyond it waits, and nothing is lost', async (t) => {
    const { connection, farEnd, submit } = await connect(t)
    const { promise, resolve } = Promise.withResolvers<void>()
    farEnd.decide('taken', promise)
    assert.deepEqual([connection.places, connection.room], [WINDOW, WINDOW])
    const numbers = Array.from({ length: WINDOW + 3 }, (_, index) => `+977984100000${index}`)
    const submitting = numbers.map((to) => submit(to))
    await until(() => farEnd.given.length === WINDOW)
    assert.equal(connection.room, 0)
    assert.equal(connection.health.inFlight, WINDOW)
    // What is said over the link meanwhile is answered, so whatever else was written would have come by now.
    if (kind.tellsByItself) assert.equal(await farEnd.reply('+9779841000009', 'x'), 'kept')
    else assert.ok('milliseconds' in (await connection.enquire()))
    assert.equal(farEnd.given.length, WINDOW)
    resolve()
    const outcomes = (await Promise.all(submitting)).map((it) => it.outcome)
    assert.deepEqual(new Set(outcomes), new Set(['taken']))
    assert.deepEqual(farEnd.given, numbers)
    assert.equal(connection.room, WINDOW)
  })

  guarantee('what cannot be said there is refused before the wire', async (t) => {
    const { farEnd, submit } = await connect(t)
    farEnd.decide('taken')
    const submitted = await submit('+9779841000001', { source: { kind: 'word', address: 'a\u0000b' } })
    assert.deepEqual([submitted.outcome, submitted.error], ['refused', 'carrier_rejected'])
    assert.deepEqual(farEnd.given, [])
  })

  guaranteeOfTelling('reports and replies are handed over, and acknowledged only once they are stored', async (t) => {
    const heard: Delivered[] = []
    const { promise: stored, resolve: store } = Promise.withResolvers<void>()
    const receive = async (delivered: Delivered) => {
      heard.push(delivered)
      await stored
    }
    const { farEnd, submit } = await connect(t, { receive })
    farEnd.decide('taken')
    const { reference } = await submit('+9779841000001')
    let answered = 0
    const count = () => void answered++
    const telling = [
      farEnd.report('+9779841000001', 'DELIVRD').finally(count),
      farEnd.reply('+9779841000002', 'YES').finally(count),
    ]
    await until(() => heard.length === 2)
    // A whole round trip later neither is answered.
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

  guaranteeOfTelling('what could not be stored is asked for again, and known again by its fingerprint', async (t) => {
    const heard: string[] = []
    const receive = async (delivered: Delivered) => {
      heard.push(delivered.fingerprint())
      if (heard.length < 3) throw new Error('no room on the disk')
    }
    const { farEnd, submit } = await connect(t, { receive })
    farEnd.decide('taken')
    await submit('+9779841000001')
    assert.equal(await farEnd.report('+9779841000001', 'UNDELIV'), 'again')
    assert.equal(await farEnd.reply('+9779841000002', 'YES'), 'again')
    assert.equal(await farEnd.report('+9779841000001', 'UNDELIV'), 'kept')
    assert.equal(heard[0], heard[2])
    assert.notEqual(heard[0], heard[1])
  })

  guaranteeOfTelling('answers are heard while what it delivered is still being stored', async (t) => {
    const { promise: stored, resolve: store } = Promise.withResolvers<void>()
    const { farEnd, submit } = await connect(t, { receive: () => stored })
    farEnd.decide('taken')
    const told = farEnd.reply('+9779841000002', 'YES')
    for (let count = 0; count < 20; count++) assert.equal((await submit('+9779841000001')).outcome, 'taken')
    store()
    assert.equal(await told, 'kept')
  })

  guarantee('a lost link settles what was under way as unknown, and is made again by itself', async (t) => {
    const { connection, farEnd, submit, changes } = await connect(t)
    farEnd.decide('never answered')
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
    farEnd.decide('taken')
    assert.equal((await submit('+9779841000008')).outcome, 'taken')
  })

  guarantee(
    'it is connected anew when asked to: what is under way is waited for, and the next goes by a new link',
    async (t) => {
      const { connection, farEnd, submit } = await connect(t)
      const { promise, resolve } = Promise.withResolvers<void>()
      farEnd.decide('taken', promise)
      const submitting = submit('+9779841000001')
      await until(() => farEnd.given.length === 1)
      connection.restart('it answered no submissions')
      assert.equal((await submit('+9779841000002')).outcome, 'unwritten')
      resolve()
      assert.equal((await submitting).outcome, 'taken')
      await until(() => connection.health.lastError === 'it answered no submissions')
      await until(() => connection.places === WINDOW)
      assert.equal((await submit('+9779841000003')).outcome, 'taken')
      assert.equal(farEnd.links, 1)
    },
  )

  guarantee('closing loses nothing: what is under way is waited for, nothing new is taken', async (t) => {
    const { connection, farEnd, submit } = await connect(t)
    const { promise, resolve } = Promise.withResolvers<void>()
    farEnd.decide('taken', promise)
    const submitting = Array.from({ length: WINDOW + 2 }, (_, index) => submit(`+977984100000${index}`))
    await until(() => farEnd.given.length === WINDOW)
    const closing = connection.close()
    assert.equal((await submit('+9779841000009')).outcome, 'unwritten')
    resolve()
    const outcomes = (await Promise.all(submitting)).map((it) => it.outcome)
    assert.deepEqual(outcomes, [...Array(WINDOW).fill('taken'), 'unwritten', 'unwritten'])
    await closing
    await until(() => farEnd.links === 0)
    assert.equal(connection.health.state, 'idle')
    assert.equal(farEnd.given.length, WINDOW)
  })

  guarantee('hanging up waits for nobody: every submission is settled', async (t) => {
    const { connection, farEnd, submit } = await connect(t)
    farEnd.decide('never answered')
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
    asksReceipt: true,
    fields: {},
  }
}
