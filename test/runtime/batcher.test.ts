// Batches: what gathers while one is under way leaves together, nobody is forgotten, and nobody fills a batch alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Batcher, type BatcherOptions } from '../../src/runtime/batcher.ts'

interface Ask {
  asker: string
  number: number
}

/** A batcher whose batches run when the test says so, and the batches it has run so far. */
function startBatcher(options: Partial<BatcherOptions<Ask, string>> = {}) {
  const batches: Ask[][] = []
  const gate = Promise.withResolvers<void>()
  const batcher = new Batcher<Ask, string>({
    lanes: 1,
    laneOf: () => 0,
    fairBy: ({ asker }) => asker,
    largestBatch: 256,
    mostWaiting: 4_000,
    longestWaitMs: 60_000,
    whenFull: () => 'full',
    run: async (batch) => {
      batches.push(batch)
      await gate.promise
      return batch.map(({ asker, number }) => `${asker}${number}`)
    },
    onFault: () => 'fail',
    ...options,
  })
  return { batcher, batches, open: gate.resolve }
}

function asks(asker: string, count: number): Ask[] {
  return Array.from({ length: count }, (_, number) => ({ asker, number }))
}

test('more requests than a batch holds leave in several, each answered once and in order', async () => {
  const { batcher, batches, open } = startBatcher({ largestBatch: 10 })
  const all = [...asks('a', 40), ...asks('b', 5), ...asks('c', 1)]
  const answers = all.map((ask) => batcher.add(ask))
  open()
  assert.deepEqual(
    await Promise.all(answers),
    all.map(({ asker, number }) => `${asker}${number}`),
  )
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [10, 10, 10, 10, 6],
  )
  assert.equal(batcher.waiting, 0)
})

test('a batch is filled round-robin: whoever asks much waits on itself', async () => {
  const { batcher, batches, open } = startBatcher({ largestBatch: 6 })
  const answers = [...asks('greedy', 20), ...asks('b', 2), ...asks('c', 2)].map((ask) => batcher.add(ask))
  open()
  await Promise.all(answers)
  assert.equal(batches[0]?.map(({ asker }) => asker[0]).join(''), 'gbcgbc')
})

test('requests that come while a batch is under way leave together after it', async () => {
  const { batcher, batches, open } = startBatcher()
  const first = batcher.add({ asker: 'a', number: 0 })
  await new Promise(setImmediate)
  const rest = asks('b', 100).map((ask) => batcher.add(ask))
  open()
  await Promise.all([first, ...rest])
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [1, 100],
  )
})

test('past its bound a lane answers at once, before any work, and takes requests again later', async () => {
  const { batcher, open } = startBatcher({ mostWaiting: 3 })
  const answers = asks('a', 5).map((ask) => batcher.add(ask))
  assert.deepEqual(await Promise.all(answers.slice(3)), ['full', 'full'])
  open()
  assert.deepEqual(await Promise.all(answers.slice(0, 3)), ['a0', 'a1', 'a2'])
  assert.equal(await batcher.add({ asker: 'a', number: 9 }), 'a9')
})

test('one bad request costs itself alone', async () => {
  const { batcher } = startBatcher({
    run: async (batch) => {
      if (batch.some(({ number }) => number === 5)) throw new Error('bad data')
      return batch.map(() => 'done')
    },
    onFault: () => 'split',
  })
  const outcomes = await Promise.allSettled(asks('a', 16).map((ask) => batcher.add(ask)))
  const failed = outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))
  assert.deepEqual(failed, [5])
})
