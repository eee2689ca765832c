// The heart of a role: take a turn, and again while there is work; else sleep until woken, due, or the next poll.
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

export interface Turn {
  /** Something was done, so there may be more: the next turn follows at once. */
  worked: boolean
  /** When the next piece of work falls due, if that is known. */
  nextAt?: Date | null
}

interface LoopOptions {
  name: string
  clock: Clock
  log: Log
  /** The backstop for wakes that got lost; it runs on the machine's own time, so a standing clock does not stop it. */
  pollMs: number
  turn: () => Promise<Turn>
  /** Faults that somebody else tells of: for one of these a turn fails without a word. */
  isLoggedElsewhere: (fault: unknown) => boolean
}

/** Before another look at what could not be done now. */
const AFTER_FAULT_MS = 1_000

export class Loop {
  readonly #options: LoopOptions
  readonly #done: Promise<void>
  #stopped = false
  #woken = false
  #turnsBegun = 0
  #worked = 0
  #lookedAgain = false
  #interrupt: () => void = () => {}
  #sleepers: (() => void)[] = []

  constructor(options: LoopOptions) {
    this.#options = options
    this.#done = this.#run()
  }

  /** There may be work: take a turn now. */
  wake(): void {
    this.#woken = true
    this.#interrupt()
  }

  /** Returns once the loop has found nothing left to do; says whether it did anything meanwhile. */
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
      if (!this.#stopped && !isLoggedElsewhere(error)) log.error({ err: error, loop }, 'a turn failed')
      return { worked: false, pollMs: AFTER_FAULT_MS }
    }
  }

  /** What fell due during a turn gets another look; what is still there then is for later, not for spinning. */
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
    let takeBack = () => {}
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#interrupt = resolve
      timer = setTimeout(resolve, pollMs ?? (isOverdue ? AFTER_FAULT_MS : this.#options.pollMs))
      if (nextAt && !isOverdue) takeBack = this.#options.clock.alarm(nextAt, resolve)
    })
    this.#interrupt = () => {}
    clearTimeout(timer)
    takeBack()
  }
}

export interface ServiceRole {
  readonly name: string
  /** Finishes what it has in hand and lets go. Called once. */
  stop(): Promise<void>
  /** Does what is due now; says whether there was anything (only a manual clock asks). */
  settle(): Promise<boolean>
}
