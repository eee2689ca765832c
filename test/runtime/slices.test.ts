// Long work in slices lets other work run in between.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inSlices } from '../../src/runtime/slices.ts'

test('other callbacks run between the slices, and the order of the items is kept', async () => {
  const done: number[] = []
  const seen: number[] = []
  const items = Array.from({ length: 40 }, (_, index) => index)
  setImmediate(() => seen.push(done.length))
  await inSlices(items, (item) => {
    const endsAt = performance.now() + 0.2
    while (performance.now() < endsAt);
    done.push(item)
  })
  assert.deepEqual(done, items)
  assert(seen[0] !== undefined && seen[0] < items.length, 'a callback ran before the last item')
})
