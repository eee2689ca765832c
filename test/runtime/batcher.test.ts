// The batcher is fair, bounded and ordered, and isolates a bad request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Batcher, type BatcherOptions } from '../../src/runtime/batcher.ts'
import { failOnRejection } from '../harness/background.ts'

interface Asked {
  /** A name, or `workspace/client`. */
  asker: string
  number: number
}

/** A batcher whose batches wait for `runOne` or `runAll`. */
function gated(options: Partial<BatcherOptions<Asked, string>> = {}) {
  const batches: Asked[][] = []
  const gates: (() => void)[] = []
  const batcher = new Batcher<Asked, string>({
    lanes: 1,
    laneOf: () => 0,
    fairBy: (it) => it.asker.split('/'),
    maxBatch: 4,
    maxWaiting: 1000,
    maxWaitMs: 60_000,
    whenFull: () => 'full',
    onError: () => 'fail',
    run: async (batch) => {
      batches.push(batch)
      await new Promise<void>((resolve) => gates.push(resolve))
      return batch.map(nameOf)
    },
    ...options,
  })
  const runOne = async () => {
    gates.shift()?.()
    await new Promise(setImmediate)
  }
  const runAll = async () => {
    let drained = false
    failOnRejection(
      batcher.drain().then(() => {
        drained = true
      }),
    )
    while (!drained) await runOne()
  }
  return { batcher, batches, runAll, runOne }
}

const nameOf = ({ asker, number }: Asked) => `${asker}${number}`
const askAll = (batcher: Batcher<Asked, string>, asker: string, count: number) =>
  Array.from({ length: count }, (_, number) => batcher.add({ asker, number }))

test('a batch that starts at once contains the requests of its tick and does not wait for other I/O', async () => {
  const { batcher, batches, runAll } = gated({ startsAtOnce: true })
  const asked = askAll(batcher, 'a', 3)
  await new Promise<void>(process.nextTick)
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [3],
  )
  await runAll()
  await Promise.all(asked)
})

test('a paced batch waits for its time, unless few or enough requests wait', async () => {
  const pace = { everyMs: 3_600_000, few: 1, enough: 4 }
  const { batcher, batches, runOne } = gated({ maxBatch: 100, pace })
  const sizes = () => batches.map((batch) => batch.length)
  const asked = askAll(batcher, 'a', 3)
  await new Promise(setImmediate)
  assert.deepEqual(sizes(), [3], 'the first batch has nothing to wait for')
  await runOne()
  asked.push(...askAll(batcher, 'b', 2))
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  assert.deepEqual(sizes(), [3])
  asked.push(...askAll(batcher, 'c', 2))
  await new Promise(setImmediate)
  assert.deepEqual(sizes(), [3, 4], 'enough')
  await runOne()
  asked.push(...askAll(batcher, 'd', 1))
  await new Promise(setImmediate)
  assert.deepEqual(sizes(), [3, 4, 1], 'few')
  await runOne()
  await Promise.all(asked)
})

test('a paced batch starts when its time has come, and drain waits for it', async () => {
  const { batcher, batches, runAll } = gated({ maxBatch: 100, pace: { everyMs: 5, few: 0, enough: 50 } })
  const asked = askAll(batcher, 'a', 2)
  await runAll()
  asked.push(...askAll(batcher, 'b', 2))
  await runAll()
  await Promise.all(asked)
  assert.equal(batches.length, 2)
})

test('requests of one tick share a batch; requests during the batch form the next one', async () => {
  const { batcher, batches, runAll } = gated()
  const first = askAll(batcher, 'a', 3)
  await new Promise(setImmediate)
  const second = askAll(batcher, 'b', 2)
  await runAll()
  assert.deepEqual(await Promise.all([...first, ...second]), ['a0', 'a1', 'a2', 'b0', 'b1'])
  assert.deepEqual(
    batches.map((batch) => batch.map(nameOf)),
    [
      ['a0', 'a1', 'a2'],
      ['b0', 'b1'],
    ],
  )
})

test('a batch is filled round-robin by asker', async () => {
  const { batcher, batches, runAll } = gated()
  const all = [...askAll(batcher, 'greedy', 10), ...askAll(batcher, 'b', 1), ...askAll(batcher, 'c', 2)]
  await runAll()
  await Promise.all(all)
  assert.deepEqual(batches[0]?.map(nameOf), ['greedy0', 'b0', 'c0', 'greedy1'])
  assert.deepEqual(batches[1]?.map(nameOf), ['c1', 'greedy2', 'greedy3', 'greedy4'])
})

test('with more askers than places, later batches continue the round', async () => {
  const { batcher, batches, runAll } = gated({ maxBatch: 2 })
  const all = ['a', 'b', 'c'].flatMap((asker) => askAll(batcher, asker, 2))
  await runAll()
  await Promise.all(all)
  assert.deepEqual(
    batches.map((batch) => batch.map(nameOf)),
    [
      ['a0', 'b0'],
      ['c0', 'a1'],
      ['b1', 'c1'],
    ],
  )
})

test('the round continues over several batches', async () => {
  const { batcher, batches, runAll } = gated({ maxBatch: 1 })
  const all = ['a', 'b', 'c', 'd'].flatMap((asker) => askAll(batcher, asker, 3))
  await runAll()
  await Promise.all(all)
  const askers = batches.flat().map(({ asker }) => asker)
  assert.equal(askers.join(''), 'abcd'.repeat(3))
})

test('the requests of one asker keep their order', async () => {
  const { batcher, batches, runAll } = gated()
  const all = ['a', 'b', 'c'].flatMap((asker) => askAll(batcher, asker, 7))
  await runAll()
  await Promise.all(all)
  const numbers = batches
    .flat()
    .filter((it) => it.asker === 'b')
    .map((it) => it.number)
  assert.deepEqual(numbers, [0, 1, 2, 3, 4, 5, 6])
})

test('lanes run concurrently, batches of one lane do not', async () => {
  const { batcher, batches, runAll } = gated({ lanes: 2, laneOf: (it) => (it.asker === 'a' ? 0 : 1) })
  const all = [...askAll(batcher, 'a', 1), ...askAll(batcher, 'b', 1)]
  await new Promise(setImmediate)
  all.push(...askAll(batcher, 'a', 1))
  await new Promise(setImmediate)
  assert.deepEqual(
    batches.map((batch) => batch.map(nameOf)),
    [['a0'], ['b0']],
  )
  await runAll()
  await Promise.all(all)
  assert.equal(batches.length, 3)
})

test('refuses requests above the limit before any work, and accepts them once there is room', async () => {
  const { batcher, batches, runAll } = gated({ maxWaiting: 3 })
  const waiting = askAll(batcher, 'a', 3)
  assert.equal(await batcher.add({ asker: 'a', number: 3 }), 'full')
  await runAll()
  await Promise.all(waiting)
  const after = batcher.add({ asker: 'a', number: 4 })
  await new Promise(setImmediate)
  await runAll()
  assert.equal(await after, 'a4')
  assert.equal(batches.flat().length, 4)
})

test('D43: the clients of a workspace share its turns', async () => {
  const { batcher, batches, runAll } = gated({ maxBatch: 6 })
  const busy = ['busy/1', 'busy/2', 'busy/3'].flatMap((asker) => askAll(batcher, asker, 10))
  const all = [...busy, ...askAll(batcher, 'single/1', 10)]
  await runAll()
  await Promise.all(all)
  assert.deepEqual(batches[0]?.map(nameOf), ['busy/10', 'single/10', 'busy/20', 'single/11', 'busy/30', 'single/12'])
  const served = batches.slice(0, 3).flat()
  assert.equal(served.filter((it) => it.asker === 'single/1').length, 9)
  for (const asker of ['busy/1', 'busy/2', 'busy/3'])
    assert.equal(served.filter((it) => it.asker === asker).length, 3, asker)
})

test('D43: a full lane drops the newest requests of the asker with most; an asker with few is never refused', async () => {
  const { batcher, batches, runAll } = gated({ maxWaiting: 6 })
  const flood = askAll(batcher, 'flood/1', 6)
  assert.equal(await batcher.add({ asker: 'flood/1', number: 6 }), 'full')
  const quiet = askAll(batcher, 'quiet/1', 2)
  assert.deepEqual(await Promise.all(flood.slice(4)), ['full', 'full'])
  const others = ['third', 'fourth'].flatMap((asker) => askAll(batcher, asker, 1))
  assert.deepEqual(await Promise.all(flood.slice(2, 4)), ['full', 'full'])
  await runAll()
  const answers = await Promise.all([...flood.slice(0, 2), ...quiet, ...others])
  assert.deepEqual(answers, ['flood/10', 'flood/11', 'quiet/10', 'quiet/11', 'third0', 'fourth0'])
  assert.equal(batches.flat().length, 6)
})

test('D43: within a workspace, the client with the most requests loses its newest', async () => {
  const { batcher, runAll } = gated({ maxWaiting: 5 })
  const flood = askAll(batcher, 'one/flood', 5)
  const sibling = batcher.add({ asker: 'one/quiet', number: 0 })
  assert.equal(await flood[4], 'full')
  await runAll()
  assert.equal(await sibling, 'one/quiet0')
})

test('with equal shares of a full lane the new request is refused, and isFullFor is true', async () => {
  const { batcher, runAll } = gated({ maxWaiting: 4 })
  const all = ['a', 'b'].flatMap((asker) => askAll(batcher, asker, 2))
  for (const asker of ['a', 'b']) {
    assert.ok(batcher.isFullFor({ asker, number: 2 }))
    assert.equal(await batcher.add({ asker, number: 2 }), 'full')
  }
  assert.equal(batcher.isFullFor({ asker: 'c', number: 0 }), false, 'an asker without waiting requests is accepted')
  await runAll()
  assert.deepEqual(await Promise.all(all), ['a0', 'a1', 'b0', 'b1'])
  assert.equal(batcher.isFullFor({ asker: 'a', number: 2 }), false)
})

test('every request is answered, also when requests are dropped', async () => {
  const { batcher, batches, runAll } = gated({ maxBatch: 3, maxWaiting: 20 })
  const all = Array.from({ length: 600 }, (_, number) =>
    batcher.add({ asker: `${(number * number) % 7}/${number % 3}`, number }),
  )
  await runAll()
  const answers = await Promise.all(all)
  const served = batches.flat().map(nameOf)
  assert.equal(served.length, 20)
  assert.deepEqual(answers.filter((answer) => answer !== 'full').sort(), served.sort())
})

test('a batch that runs too long refuses all new requests', async () => {
  const { batcher, runAll } = gated({ maxWaitMs: -1 })
  const first = batcher.add({ asker: 'a', number: 0 })
  assert.equal(batcher.isFullFor({ asker: 'b', number: 1 }), false)
  await new Promise(setImmediate)
  assert.equal(await batcher.add({ asker: 'b', number: 1 }), 'full')
  await runAll()
  assert.equal(await first, 'a0')
  assert.equal(batcher.isFullFor({ asker: 'b', number: 1 }), false)
})

test('D43: refuses an asker whose oldest request waits too long, and no other', async () => {
  const { batcher, runAll, runOne } = gated({ maxBatch: 1, maxWaiting: 1_000_000, maxWaitMs: 300 })
  const flood = askAll(batcher, 'flood', 100)
  const asked = performance.now()
  // Batches keep running, but new askers come before the second request of the flood.
  const others: Promise<string>[] = []
  while (performance.now() - asked < 400) {
    for (let number = 0; number < 3; number++) others.push(batcher.add({ asker: `n${others.length}`, number }))
    await runOne()
  }
  assert.equal(await batcher.add({ asker: 'flood', number: 100 }), 'full')
  const quiet = batcher.add({ asker: 'quiet', number: 0 })
  await runAll()
  assert.equal(await quiet, 'quiet0')
  assert.ok((await Promise.all([...flood, ...others])).every((answer) => answer !== 'full'))
})

function failing(onError: (error: unknown) => 'again' | 'split' | 'fail', run: (batch: Asked[]) => void) {
  const sizes: number[] = []
  const { batcher } = gated({
    maxBatch: 64,
    onError,
    run: async (batch) => {
      sizes.push(batch.length)
      run(batch)
      return batch.map(nameOf)
    },
  })
  return { batcher, sizes }
}

test('splitting isolates a bad request', async () => {
  const { batcher, sizes } = failing(
    () => 'split',
    (batch) => {
      if (batch.some((it) => it.number === 11)) throw new Error('bad data')
    },
  )
  const outcomes = await Promise.allSettled(askAll(batcher, 'a', 16))
  assert.deepEqual(
    outcomes.flatMap((it, index) => (it.status === 'rejected' ? [index] : [])),
    [11],
  )
  assert.deepEqual(sizes, [16, 8, 8, 4, 2, 2, 1, 1, 4])
})

test('a transient error is retried, five attempts at most', async () => {
  let deadlocks = 4
  const { batcher, sizes } = failing(
    () => 'again',
    () => {
      if (deadlocks-- > 0) throw new Error('deadlock')
    },
  )
  assert.deepEqual(await Promise.all(askAll(batcher, 'a', 3)), ['a0', 'a1', 'a2'])
  assert.deepEqual(sizes, [3, 3, 3, 3, 3])
  deadlocks = 100
  const outcomes = await Promise.allSettled(askAll(batcher, 'a', 2))
  assert.ok(outcomes.every((it) => it.status === 'rejected'))
  assert.equal(sizes.length, 10)
})

test('another error rejects its batch, and the next batch runs', async () => {
  let broken = true
  const { batcher } = failing(
    () => 'fail',
    () => {
      if (broken) throw new Error('no connection')
    },
  )
  const outcomes = await Promise.allSettled(askAll(batcher, 'a', 3))
  assert.ok(outcomes.every((it) => it.status === 'rejected'))
  broken = false
  assert.equal(await batcher.add({ asker: 'a', number: 9 }), 'a9')
})

test('a batch without an answer for every request rejects them', async () => {
  const { batcher } = gated({ run: async () => [] })
  await assert.rejects(batcher.add({ asker: 'a', number: 0 }), RangeError)
})

test('drain resolves when every request has its answer', async () => {
  const { batcher, runAll } = gated()
  const answered: string[] = []
  for (const asked of askAll(batcher, 'a', 9)) failOnRejection(asked.then((answer) => answered.push(answer)))
  const drained = batcher.drain().then(() => answered.length)
  await runAll()
  assert.equal(await drained, 9)
  await batcher.drain()
})
