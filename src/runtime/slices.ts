// Divides long synchronous work into slices, so that I/O callbacks of other work, such as receipts, run in between.

const SLICE_MS = 0.5
/** Reading the time after every item would cost more than some items. */
const ITEMS_PER_CHECK = 8

/** Calls `work` for each item in order, and lets the event loop turn after each slice. `work` must not throw. */
export async function inSlices<Item>(items: readonly Item[], work: (item: Item) => void): Promise<void> {
  let endsAt = performance.now() + SLICE_MS
  let count = 0
  for (const item of items) {
    work(item)
    count += 1
    if (count % ITEMS_PER_CHECK !== 0 || performance.now() < endsAt) continue
    await new Promise(setImmediate)
    endsAt = performance.now() + SLICE_MS
  }
}
