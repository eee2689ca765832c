// Temporary storage in memory, limited in time and number. In production use a database or Redis that all processes share.

/** @template Value */
export class Memory {
  /** @type {Map<string, { value: Value, until: number }>} */
  #entries = new Map()
  #keepMs
  #most

  /** @param {{ keepMs: number, most: number }} limits */
  constructor({ keepMs, most }) {
    this.#keepMs = keepMs
    this.#most = most
  }

  /** @param {string} key */
  get(key) {
    const entry = this.#entries.get(key)
    return entry && entry.until > performance.now() ? entry.value : null
  }

  /**
   * @param {string} key
   * @param {Value} value
   */
  set(key, value) {
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: performance.now() + this.#keepMs })
    // A Map keeps the order of insertion and all entries live equally long, so expired entries come first.
    for (const [oldest, { until }] of this.#entries) {
      if (until > performance.now() && this.#entries.size <= this.#most) break
      this.#entries.delete(oldest)
    }
  }

  /** @param {string} key */
  delete(key) {
    this.#entries.delete(key)
  }
}
