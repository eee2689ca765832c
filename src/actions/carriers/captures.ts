// Records packet captures of this process (D60): the latest frames in memory, stored when the capture or the process ends.
import type { Log } from '../../runtime/log.ts'
import { Loop, type ServiceRole, type Turn } from '../../runtime/loop.ts'
import type { CapturedFrame, OpenCapture } from '../../store/carriers/carrier-captures.ts'
import { isAway } from '../../store/database/db.ts'
import type { Ports } from '../ports.ts'
import { CAPTURES_SUBJECT, loadOpenCaptures, storeCaptured } from './capture-carrier.ts'

const POLL_MS = 10_000
const MAX_FRAMES = 2_000
/** Raw and decoded frames together. */
const MAX_BYTES = 2_000_000

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
  readonly #processId: string
  /** By carrier. */
  readonly #recordings = new Map<string, Recording>()
  readonly #loop: Loop

  constructor(ports: Ports, log: Log) {
    this.#ports = ports
    this.#log = log
    this.#processId = ports.ids.next()
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

  async open(): Promise<void> {
    const wake = () => this.#loop.wake()
    await this.#ports.notifications.subscribe(CAPTURES_SUBJECT, { receive: wake, resumed: wake })
  }

  /** `read` is called only while a capture of the carrier runs. */
  add(carrierId: string, read: () => UnnumberedFrame): void {
    const recording = this.#recordings.get(carrierId)
    if (!recording) return
    const at = this.#ports.clock.now()
    if (recording.endsAt <= at) return
    let seen: UnnumberedFrame
    try {
      seen = read()
    } catch (error) {
      // A failed capture must not disturb the connection.
      this.#log.error({ err: error, carrierId }, 'frame capture failed')
      return
    }
    const frame = { nth: ++recording.count, at, ...seen }
    const weight = frame.bytes.length + JSON.stringify(frame.decoded).length
    recording.frames.push({ frame, weight })
    recording.weight += weight
    while (recording.frames.length > MAX_FRAMES || recording.weight > MAX_BYTES)
      recording.weight -= recording.frames.shift()?.weight ?? 0
  }

  settle(): Promise<boolean> {
    return this.#loop.settle()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
    try {
      for (const recording of this.#recordings.values()) await this.#store(recording)
    } catch (error) {
      if (!isAway(error)) throw error
    }
  }

  async #turn(): Promise<Turn> {
    const now = this.#ports.clock.now()
    const open = await loadOpenCaptures(this.#ports)
    for (const capture of open) {
      const before = this.#recordings.get(capture.carrierId)
      if (before?.id === capture.id) continue
      // The earlier capture ended, and the next one started before this turn.
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
    return storeCaptured(this.#ports, {
      captureId: id,
      processId: this.#processId,
      frames: frames.map((it) => it.frame),
    })
  }
}
