// The machine's pulse: a thread that does one small piece of work over and over, and finds the times when it took many times as
// long as it does. Hosts hold virtual machines back like that, on every core at once, and no counter of the guest shows it.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** In milliseconds of the clock that all threads and processes share. */
export interface Stall {
  from: number
  to: number
}

interface Beat {
  at: number
  ms: number
}

const PAUSE_MS = 2
/** Of so many pieces the quickest counts: another thread may take the core in the midst of one, hardly of all. */
const PIECES = 4
const STEPS = 10_000
/** Seen are 11 to 13 times; a core shared with other work gives 1 or 2. */
const STALLED_TIMES = 4

export class Pulse {
  readonly #stop = new Int32Array(new SharedArrayBuffer(4))
  readonly #beats: Promise<Beat[]>

  constructor() {
    const thread = new Worker(new URL(import.meta.url), { workerData: this.#stop })
    this.#beats = new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject))
  }

  /** The stalls since it began: each from the last sound beat before it to the first after it. */
  async stop(): Promise<Stall[]> {
    Atomics.store(this.#stop, 0, 1)
    Atomics.notify(this.#stop, 0)
    const beats = await this.#beats
    const sorted = beats.map((beat) => beat.ms).sort((one, other) => one - other)
    const usual = sorted[Math.floor(sorted.length / 4)] ?? 0
    const stalls: Stall[] = []
    let soundAt = beats[0]?.at ?? 0
    let inStall = false
    for (const { at, ms } of beats) {
      const isSlow = ms > STALLED_TIMES * usual
      if (inStall && !isSlow) stalls.push({ from: soundAt, to: at })
      if (!isSlow) soundAt = at
      inStall = isSlow
    }
    return stalls
  }
}

export function sharedNow(): number {
  return performance.timeOrigin + performance.now()
}

function beat(stop: Int32Array): Beat[] {
  const beats: Beat[] = []
  while (Atomics.wait(stop, 0, 0, PAUSE_MS) === 'timed-out') {
    const times = Array.from({ length: PIECES }, timeOfWork)
    beats.push({ at: sharedNow(), ms: Math.min(...times) })
  }
  return beats
}

function timeOfWork(): number {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}

function work(): number {
  let value = 88_172_645
  for (let step = 0; step < STEPS; step++) {
    value ^= value << 13
    value ^= value >>> 17
    value ^= value << 5
  }
  return value
}

if (!isMainThread) parentPort?.postMessage(beat(workerData))
