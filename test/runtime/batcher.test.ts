// Batches: fair, bounded, in order, and one bad request costs itself alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Batcher, type BatcherOptions } from '../../src/runtime/batcher.ts'
import { failOnRejection } from '../harness/background.ts'

interface Asked {
  /** A name, or a workspace and a client of it. */
  asker: string
  number: number
}

/** A batcher whose batches wait until the test lets them go. */
function gated(options: Partial<BatcherOptions<Asked, string>> = {}) {
  const batches: Asked[][] = []
  const gates: (() => void)[] = []
  const batcher = new Batcher<Asked, string>({
    lanes: 1,
    laneOf: () => 0,
    fairBy: (it) => it.asker.split('/'),
    largestBatch: 4,
    mostWaiting: 1000,
    longestWaitMs: 60_000,
    whenFull: () => 'full',
    onFault: () => 'fail',
    run: async (batch) => {
      batches.push(batch)
      await new Promise<void>((resolve) => gates.push(resolve))
      return batch.map(nameOf)
    },
    ...options,
  })
  const letOne = async () => {
    gates.shift()?.()
    await new Promise(setImmediate)
  }
  const letGo = async () => {
    let drained = false
    failOnRejection(
      batcher.drain().then(() => {
        drained = true
      }),
    )
    while (!drained) await letOne()
  }
  return { batcher, batches, letGo, letOne }
}

const nameOf = ({ asker, number }: Asked) => `${asker}${number}`
const askAll = (batcher: Batcher<Asked, string>, asker: string, count: number) =>
  Array.from({ length: count }, (_, number) => batcher.add({ asker, number }))

test('requests of one tick leave together; what comes meanwhile makes the next batch', async () => {
  const { batcher, batches, letGo } = gated()
  const first = askAll(batcher, 'a', 3)
  await new Promise(setImmediate)
  const second = askAll(batcher, 'b', 2)
  await letGo()
  assert.deepEqual(await Promise.all([...first, ...second]), ['a0', 'a1', 'a2', 'b0', 'b1'])
  assert.deepEqual(
    batches.map((batch) => batch.map(nameOf)),
    [
      ['a0', 'a1', 'a2'],
      ['b0', 'b1'],
    ],
  )
})

test('whoever asks much waits on itself: a batch is filled in turns', async () => {
  const { batcher, batches, letGo } = gated()
  const all = [...askAll(batcher, 'greedy', 10), ...askAll(batcher, 'b', 1), ...askAll(batcher, 'c', 2)]
  await letGo()
  await Promise.all(all)
  assert.deepEqual(batches[0]?.map(nameOf), ['greedy0', 'b0', 'c0', 'greedy1'])
  assert.deepEqual(batches[1]?.map(nameOf), ['c1', 'greedy2', 'greedy3', 'greedy4'])
})

test('with more askers than places, the places go round', async () => {
  const { batcher, batches, letGo } = gated({ largestBatch: 2 })
  const all = ['a', 'b', 'c'].flatMap((asker) => askAll(batcher, asker, 2))
  await letGo()
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

test('the places go round also over several batches: nobody waits for all that others asked before', async () => {
  const { batcher, batches, letGo } = gated({ largestBatch: 1 })
  const all = ['a', 'b', 'c', 'd'].flatMap((asker) => askAll(batcher, asker, 3))
  await letGo()
  await Promise.all(all)
  const askers = batches.flat().map(({ asker }) => asker)
  assert.equal(askers.join(''), 'abcd'.repeat(3))
})

test('the requests of one asker keep their order', async () => {
  const { batcher, batches, letGo } = gated()
  const all = ['a', 'b', 'c'].flatMap((asker) => askAll(batcher, asker, 7))
  await letGo()
  await Promise.all(all)
  const numbers = batches
    .flat()
    .filter((it) => it.asker === 'b')
    .map((it) => it.number)
  assert.deepEqual(numbers, [0, 1, 2, 3, 4, 5, 6])
})

test('lanes run beside each other, a lane never beside itself', async () => {
  const { batcher, batches, letGo } = gated({ lanes: 2, laneOf: (it) => (it.asker === 'a' ? 0 : 1) })
  const all = [...askAll(batcher, 'a', 1), ...askAll(batcher, 'b', 1)]
  await new Promise(setImmediate)
  all.push(...askAll(batcher, 'a', 1))
  await new Promise(setImmediate)
  assert.deepEqual(
    batches.map((batch) => batch.map(nameOf)),
    [['a0'], ['b0']],
  )
  await letGo()
  await Promise.all(all)
  assert.equal(batches.length, 3)
})

test('past the bound a request is refused before any work, and taken again once there is room', async () => {
  const { batcher, batches, letGo } = gated({ mostWaiting: 3 })
  const waiting = askAll(batcher, 'a', 3)
  assert.equal(await batcher.add({ asker: 'a', number: 3 }), 'full')
  await letGo()
  await Promise.all(waiting)
  const after = batcher.add({ asker: 'a', number: 4 })
  await new Promise(setImmediate)
  await letGo()
  assert.equal(await after, 'a4')
  assert.equal(batches.flat().length, 4)
})

test('D43: a workspace with many busy clients gets no more than one with a single client, whose turns they share', async () => {
  const { batcher, batches, letGo } = gated({ largestBatch: 6 })
  const busy = ['busy/1', 'busy/2', 'busy/3'].flatMap((asker) => askAll(batcher, asker, 10))
  const all = [...busy, ...askAll(batcher, 'single/1', 10)]
  await letGo()
  await Promise.all(all)
  assert.deepEqual(batches[0]?.map(nameOf), ['busy/10', 'single/10', 'busy/20', 'single/11', 'busy/30', 'single/12'])
  const served = batches.slice(0, 3).flat()
  assert.equal(served.filter((it) => it.asker === 'single/1').length, 9)
  for (const asker of ['busy/1', 'busy/2', 'busy/3'])
    assert.equal(served.filter((it) => it.asker === asker).length, 3, asker)
})

test('D43: in a full lane whoever waits for most gives way, its newest first; who waits for little is never refused', async () => {
  const { batcher, batches, letGo } = gated({ mostWaiting: 6 })
  const flood = askAll(batcher, 'flood/1', 6)
  assert.equal(await batcher.add({ asker: 'flood/1', number: 6 }), 'full')
  const quiet = askAll(batcher, 'quiet/1', 2)
  assert.deepEqual(await Promise.all(flood.slice(4)), ['full', 'full'])
  const others = ['third', 'fourth'].flatMap((asker) => askAll(batcher, asker, 1))
  assert.deepEqual(await Promise.all(flood.slice(2, 4)), ['full', 'full'])
  await letGo()
  const answers = await Promise.all([...flood.slice(0, 2), ...quiet, ...others])
  assert.deepEqual(answers, ['flood/10', 'flood/11', 'quiet/10', 'quiet/11', 'third0', 'fourth0'])
  assert.equal(batches.flat().length, 6)
})

test('D43: also within a workspace it is the client that waits for most who gives way', async () => {
  const { batcher, letGo } = gated({ mostWaiting: 5 })
  const flood = askAll(batcher, 'one/flood', 5)
  const sibling = batcher.add({ asker: 'one/quiet', number: 0 })
  assert.equal(await flood[4], 'full')
  await letGo()
  assert.equal(await sibling, 'one/quiet0')
})

test('with equal shares of a full lane the one who comes is refused, and told so before it is read', async () => {
  const { batcher, letGo } = gated({ mostWaiting: 4 })
  const all = ['a', 'b'].flatMap((asker) => askAll(batcher, asker, 2))
  for (const asker of ['a', 'b']) {
    assert.ok(batcher.isFullFor({ asker, number: 2 }))
    assert.equal(await batcher.add({ asker, number: 2 }), 'full')
  }
  assert.equal(batcher.isFullFor({ asker: 'c', number: 0 }), false, 'who waits for nothing yet finds a place')
  await letGo()
  assert.deepEqual(await Promise.all(all), ['a0', 'a1', 'b0', 'b1'])
  assert.equal(batcher.isFullFor({ asker: 'a', number: 2 }), false)
})

test('nobody who waits is forgotten, whatever comes, goes and gives way', async () => {
  const { batcher, batches, letGo } = gated({ largestBatch: 3, mostWaiting: 20 })
  const all = Array.from({ length: 600 }, (_, number) =>
    batcher.add({ asker: `${(number * number) % 7}/${number % 3}`, number }),
  )
  await letGo()
  const answers = await Promise.all(all)
  const served = batches.flat().map(nameOf)
  assert.equal(served.length, 20)
  assert.deepEqual(answers.filter((answer) => answer !== 'full').sort(), served.sort())
})

test('while a batch takes too long no more are taken in, whoever asks', async () => {
  const { batcher, letGo } = gated({ longestWaitMs: -1 })
  const first = batcher.add({ asker: 'a', number: 0 })
  assert.equal(batcher.isFullFor({ asker: 'b', number: 1 }), false)
  await new Promise(setImmediate)
  assert.equal(await batcher.add({ asker: 'b', number: 1 }), 'full')
  await letGo()
  assert.equal(await first, 'a0')
  assert.equal(batcher.isFullFor({ asker: 'b', number: 1 }), false)
})

test('D43: whose own first in line has waited too long is refused; a neighbour that has nobody waiting is not', async () => {
  const { batcher, letGo, letOne } = gated({ largestBatch: 1, mostWaiting: 1_000_000, longestWaitMs: 300 })
  const flood = askAll(batcher, 'flood', 100)
  const asked = performance.now()
  // The lane moves on all the time, and still the second of the flood is not served: neighbours come in between.
  const neighbours: Promise<string>[] = []
  while (performance.now() - asked < 400) {
    for (let number = 0; number < 3; number++) neighbours.push(batcher.add({ asker: `n${neighbours.length}`, number }))
    await letOne()
  }
  assert.equal(await batcher.add({ asker: 'flood', number: 100 }), 'full')
  const quiet = batcher.add({ asker: 'quiet', number: 0 })
  await letGo()
  assert.equal(await quiet, 'quiet0')
  assert.ok((await Promise.all([...flood, ...neighbours])).every((answer) => answer !== 'full'))
})

function failing(onFault: (fault: unknown) => 'again' | 'split' | 'fail', run: (batch: Asked[]) => void) {
  const sizes: number[] = []
  const { batcher } = gated({
    largestBatch: 64,
    onFault,
    run: async (batch) => {
      sizes.push(batch.length)
      run(batch)
      return batch.map(nameOf)
    },
  })
  return { batcher, sizes }
}

test('a bad request is found by halving, and costs itself alone', async () => {
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

test('what passes by itself is tried again, five times at most', async () => {
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

test('a fault that is nobody in particular fails its batch, and the next batch runs', async () => {
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

test('a batch that does not answer every request is a bug, and nobody hangs over it', async () => {
  const { batcher } = gated({ run: async () => [] })
  await assert.rejects(batcher.add({ asker: 'a', number: 0 }), RangeError)
})

test('drain returns when every request has its answer', async () => {
  const { batcher, letGo } = gated()
  const answered: string[] = []
  for (const asked of askAll(batcher, 'a', 9)) failOnRejection(asked.then((answer) => answered.push(answer)))
  const drained = batcher.drain().then(() => answered.length)
  await letGo()
  assert.equal(await drained, 9)
  await batcher.drain()
})
