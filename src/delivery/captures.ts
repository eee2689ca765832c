// Writes down what goes over the binds of this process while somebody wants to see it (D60): in memory, no more than so much, the
// latest; stored when its time is over.
import { loadOpenCaptures, storeCaptured } from '../actions/capture-carrier.ts'
import type { Ports } from '../actions/ports.ts'
import type { Log } from '../runtime/log.ts'
import { Loop, type Turn } from '../runtime/loop.ts'
import type { BindName } from '../store/carrier-binds.ts'
import type { CapturedFrame, OpenCapture } from '../store/carrier-captures.ts'
import { isAway } from '../store/db.ts'
import type { Exchanged } from './connection.ts'

const POLL_MS = 10_000
const MOST_FRAMES = 2_000
const MOST_BYTES = 1_000_000

interface Recording extends OpenCapture {
  frames: CapturedFrame[]
  bytes: number
  count: number
}

export class Captures {
  readonly #ports: Ports
  readonly #holder: string
  /** By carrier: of each there is one at a time. */
  readonly #recordings = new Map<string, Recording>()
  readonly #loop: Loop

  constructor(ports: Ports, { log, holder }: { log: Log; holder: string }) {
    this.#ports = ports
    this.#holder = holder
    const turn = () => this.#turn()
    this.#loop = new Loop({ name: 'captures', clock: ports.clock, log, pollMs: POLL_MS, turn, isTold: isAway })
  }

  /** Somebody may have asked. */
  look(): void {
    this.#loop.wake()
  }

  add({ carrierId, number }: BindName, read: () => Exchanged): void {
    const recording = this.#recordings.get(carrierId)
    const at = this.#ports.clock.now()
    if (!recording || recording.endsAt <= at) return
    const frame = { nth: ++recording.count, at, bind: number, ...read() }
    recording.frames.push(frame)
    recording.bytes += frame.bytes.length
    while (recording.frames.length > MOST_FRAMES || recording.bytes > MOST_BYTES)
      recording.bytes -= recording.frames.shift()?.bytes.length ?? 0
  }

  settle(): Promise<boolean> {
    return this.#loop.settle()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
  }

  async #turn(): Promise<Turn> {
    const now = this.#ports.clock.now()
    const open = await loadOpenCaptures(this.#ports)
    for (const capture of open)
      if (this.#recordings.get(capture.carrierId)?.id !== capture.id)
        this.#recordings.set(capture.carrierId, { ...capture, frames: [], bytes: 0, count: 0 })
    let worked = false
    for (const { id, carrierId, endsAt, frames } of [...this.#recordings.values()]) {
      if (endsAt > now) continue
      await storeCaptured(this.#ports, { captureId: id, holder: this.#holder, frames })
      this.#recordings.delete(carrierId)
      worked = true
    }
    const ends = Array.from(this.#recordings.values(), (it) => it.endsAt.getTime())
    return { worked, nextAt: ends.length > 0 ? new Date(Math.min(...ends)) : null }
  }
}
