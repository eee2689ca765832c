// The loop of a role: takes turns while there is work, then sleeps until it is woken, work is due, or the next poll.
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

export interface Turn {
  /** True if there may be more work: the next turn follows immediately. */
  worked: boolean
  /** When the next work is due, if known. */
  nextAt?: Date | null
}

interface LoopOptions {
  name: string
  clock: Clock
  log: Log
  /** Finds work after a lost notification. Measured in real time, so a stopped clock does not stop it. */
  pollMs: number
  turn: () => Promise<Turn>
  isLoggedElsewhere: (error: unknown) => boolean
}

const AFTER_ERROR_MS = 1_000

export class Loop {
  readonly #options: LoopOptions
  readonly #done: Promise<void>
  #stopped = false
  #woken = false
  #turnsBegun = 0
  #worked = 0
  #lookedAgain = false
  #interrupt: () => void = () => {}
  /** Stays set during a turn: a manual clock that advances meanwhile still stops at the time that is known. */
  #cancelAlarm: () => void = () => {}
  #sleepers: (() => void)[] = []

  constructor(options: LoopOptions) {
    this.#options = options
    this.#done = this.#run()
  }

  /** Takes a turn now. */
  wake(): void {
    this.#woken = true
    this.#interrupt()
  }

  /** Resolves when no work is left. Returns whether there was any. */
  async settle(): Promise<boolean> {
    if (this.#stopped) return false
    const workedBefore = this.#worked
    const turnsBefore = this.#turnsBegun
    this.wake()
    while (!this.#stopped) {
      await new Promise<void>((resolve) => this.#sleepers.push(resolve))
      if (this.#turnsBegun > turnsBefore) break
    }
    return this.#worked > workedBefore
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#interrupt()
    await this.#done
    this.#cancelAlarm()
    this.#fallAsleep()
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#woken = false
      this.#turnsBegun += 1
      const turn = await this.#turn()
      if (turn.worked) this.#worked += 1
      else if (!this.#woken && !this.#looksAgain(turn)) {
        this.#fallAsleep()
        await this.#sleep(turn)
      }
    }
  }

  async #turn(): Promise<Turn & { pollMs?: number }> {
    try {
      return await this.#options.turn()
    } catch (error) {
      const { log, name: loop, isLoggedElsewhere } = this.#options
      if (!this.#stopped && !isLoggedElsewhere(error)) log.error({ err: error, loop }, 'worker cycle failed')
      return { worked: false, pollMs: AFTER_ERROR_MS }
    }
  }

  /** Work that became due during a turn gets one more turn. If it stays overdue, the loop sleeps instead of spinning. */
  #looksAgain({ nextAt }: Turn): boolean {
    this.#lookedAgain = !this.#lookedAgain && this.#isOverdue(nextAt)
    return this.#lookedAgain
  }

  #isOverdue(nextAt: Date | null | undefined): boolean {
    return nextAt ? nextAt <= this.#options.clock.now() : false
  }

  #fallAsleep(): void {
    const sleepers = this.#sleepers
    this.#sleepers = []
    for (const resolve of sleepers) resolve()
  }

  async #sleep({ nextAt, pollMs }: { nextAt?: Date | null; pollMs?: number }): Promise<void> {
    if (this.#stopped || this.#woken) return
    const isOverdue = this.#isOverdue(nextAt)
    this.#cancelAlarm()
    this.#cancelAlarm = nextAt && !isOverdue ? this.#options.clock.alarm(nextAt, () => this.wake()) : () => {}
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#interrupt = resolve
      timer = setTimeout(resolve, pollMs ?? (isOverdue ? AFTER_ERROR_MS : this.#options.pollMs))
    })
    this.#interrupt = () => {}
    clearTimeout(timer)
  }
}

export interface ServiceRole {
  readonly name: string
  /** Finishes claimed work and releases the rest. Called once. */
  stop(): Promise<void>
  /** Does all work that is due and returns whether there was any. Used with a manual clock. */
  settle(): Promise<boolean>
}
