// Notices that the peer has fallen silent (SMPP 3.4 §7.2): asks after a while, and gives up when nothing at all comes back.

type HeartbeatOptions = {
  idleMs: number
  answerMs: number
  ask(): void
  giveUp(): void
}

export class Heartbeat {
  readonly #options: HeartbeatOptions
  #timer: NodeJS.Timeout | undefined
  #isAsking = false

  constructor(options: HeartbeatOptions) {
    this.#options = options
  }

  /** Goes on as before if it runs already. */
  start(): void {
    if (this.#timer === undefined) this.#listen()
  }

  /** Any frame is a sign of life, the awaited answer or not. */
  heard(): void {
    if (this.#isAsking) this.#listen()
    else this.#timer?.refresh()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isAsking = false
  }

  #listen(): void {
    this.stop()
    this.#timer = setTimeout(() => this.#ask(), this.#options.idleMs)
  }

  #ask(): void {
    this.#isAsking = true
    this.#timer = setTimeout(() => this.#options.giveUp(), this.#options.answerMs)
    this.#options.ask()
  }
}
