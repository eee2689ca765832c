// Detects stalls of the machine: a thread repeats a small piece of work and records when it takes much longer. Hosts throttle virtual
// machines this way on all cores, and no counter in the guest shows it.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Milliseconds on the clock shared by all threads and processes. */
export interface Stall {
  from: number
  to: number
}

interface Beat {
  at: number
  ms: number
}

const PAUSE_MS = 2
/** The fastest of these runs counts, because another thread may interrupt some. */
const PIECES = 4
const STEPS = 10_000
/** Stalls slow the work 11 to 13 times; a shared core 1 to 2 times. */
const STALLED_TIMES = 4

export class Pulse {
  readonly #stop = new Int32Array(new SharedArrayBuffer(4))
  readonly #beats: Promise<Beat[]>

  constructor() {
    const thread = new Worker(new URL(import.meta.url), { workerData: this.#stop })
    this.#beats = new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject))
  }

  /** The stalls since the start, each from the last normal beat before to the first one after. */
  async stop(): Promise<Stall[]> {
    Atomics.store(this.#stop, 0, 1)
    Atomics.notify(this.#stop, 0)
    const beats = await this.#beats
    const sorted = beats.map((beat) => beat.ms).sort((one, other) => one - other)
    const usual = sorted[Math.floor(sorted.length / 4)] ?? 0
    const stalls: Stall[] = []
    let normalAt = beats[0]?.at ?? 0
    let inStall = false
    for (const { at, ms } of beats) {
      const isSlow = ms > STALLED_TIMES * usual
      if (inStall && !isSlow) stalls.push({ from: normalAt, to: at })
      if (!isSlow) normalAt = at
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
