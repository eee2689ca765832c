// Detects a silent peer (SMPP 3.4 §7.2): pings after an idle time and reports a timeout.

type HeartbeatOptions = {
  idleMs: number
  answerMs: number
  ping(): void
  onTimeout(): void
}

export class Heartbeat {
  readonly #options: HeartbeatOptions
  #timer: NodeJS.Timeout | undefined
  #isPinging = false

  constructor(options: HeartbeatOptions) {
    this.#options = options
  }

  /** Does nothing if it already runs. */
  start(): void {
    if (this.#timer === undefined) this.#waitForFrame()
  }

  /** Every frame counts as activity. */
  onFrame(): void {
    if (this.#isPinging) this.#waitForFrame()
    else this.#timer?.refresh()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isPinging = false
  }

  #waitForFrame(): void {
    this.stop()
    this.#timer = setTimeout(() => this.#ping(), this.#options.idleMs)
  }

  #ping(): void {
    this.#isPinging = true
    this.#timer = setTimeout(() => this.#options.onTimeout(), this.#options.answerMs)
    this.#options.ping()
  }
}
