// Writes down what goes over the wire of this process while somebody wants to see it (D60): in memory, no more than so much, the
// latest; stored when its time is over, or when the process goes.
import type { Log } from '../../runtime/log.ts'
import { Loop, type ServiceRole, type Turn } from '../../runtime/loop.ts'
import type { CapturedFrame, OpenCapture } from '../../store/carriers/carrier-captures.ts'
import { isAway } from '../../store/database/db.ts'
import type { Ports } from '../ports.ts'
import { CAPTURES_SUBJECT, loadOpenCaptures, storeCaptured } from './capture-carrier.ts'

const POLL_MS = 10_000
const MOST_FRAMES = 2_000
/** Of frames as they are and decoded, together. */
const MOST_BYTES = 2_000_000

export type UnnumberedFrame = Omit<CapturedFrame, 'nth' | 'at'>

interface Recording extends OpenCapture {
  frames: { frame: CapturedFrame; weight: number }[]
  weight: number
  count: number
}

export class Captures implements ServiceRole {
  readonly name = 'captures'
  readonly #ports: Ports
  readonly #log: Log
  readonly #holder: string
  /** By carrier: of each there is one at a time. */
  readonly #recordings = new Map<string, Recording>()
  readonly #loop: Loop

  constructor(ports: Ports, log: Log) {
    this.#ports = ports
    this.#log = log
    this.#holder = ports.ids.next()
    const turn = () => this.#turn()
    this.#loop = new Loop({
      name: 'captures',
      clock: ports.clock,
      log,
      pollMs: POLL_MS,
      turn,
      isLoggedElsewhere: isAway,
    })
  }

  /** From now on it hears when somebody asks, in whichever process. */
  async open(): Promise<void> {
    const look = () => this.#loop.wake()
    await this.#ports.notifications.subscribe(CAPTURES_SUBJECT, { receive: look, resumed: look })
  }

  /** `read` is called only where somebody looks. */
  add(carrierId: string, read: () => UnnumberedFrame): void {
    const recording = this.#recordings.get(carrierId)
    if (!recording) return
    const at = this.#ports.clock.now()
    if (recording.endsAt <= at) return
    let seen: UnnumberedFrame
    try {
      seen = read()
    } catch (fault) {
      // Whoever speaks with a carrier must not suffer by being watched.
      this.#log.error({ err: fault, carrierId }, 'something on the wire cannot be shown')
      return
    }
    const frame = { nth: ++recording.count, at, ...seen }
    const weight = frame.bytes.length + JSON.stringify(frame.decoded).length
    recording.frames.push({ frame, weight })
    recording.weight += weight
    while (recording.frames.length > MOST_FRAMES || recording.weight > MOST_BYTES)
      recording.weight -= recording.frames.shift()?.weight ?? 0
  }

  settle(): Promise<boolean> {
    return this.#loop.settle()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
    try {
      for (const recording of this.#recordings.values()) await this.#store(recording)
    } catch (fault) {
      if (!isAway(fault)) throw fault
    }
  }

  async #turn(): Promise<Turn> {
    const now = this.#ports.clock.now()
    const open = await loadOpenCaptures(this.#ports)
    for (const capture of open) {
      const before = this.#recordings.get(capture.carrierId)
      if (before?.id === capture.id) continue
      // It ended, and the next was asked for before anybody looked here.
      if (before) await this.#store(before)
      this.#recordings.set(capture.carrierId, { ...capture, frames: [], weight: 0, count: 0 })
    }
    let worked = false
    for (const recording of [...this.#recordings.values()]) {
      if (recording.endsAt > now) continue
      await this.#store(recording)
      this.#recordings.delete(recording.carrierId)
      worked = true
    }
    const ends = Array.from(this.#recordings.values(), (it) => it.endsAt.getTime())
    return { worked, nextAt: ends.length > 0 ? new Date(Math.min(...ends)) : null }
  }

  #store({ id, frames }: Recording): Promise<void> {
    return storeCaptured(this.#ports, { captureId: id, holder: this.#holder, frames: frames.map((it) => it.frame) })
  }
}
