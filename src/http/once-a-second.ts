// What befalls every request at once is told once a second, with how many it befell: a log that is flooded is not read.
const PAUSE_MS = 1000

export class OnceASecond {
  #toldAt = Number.NEGATIVE_INFINITY
  #untold = 0

  /** Counts one more; how many there were since it was last told, or 0 while it is too early to tell again. */
  count(): number {
    this.#untold += 1
    const now = performance.now()
    if (now - this.#toldAt < PAUSE_MS) return 0
    const untold = this.#untold
    this.#toldAt = now
    this.#untold = 0
    return untold
  }
}
