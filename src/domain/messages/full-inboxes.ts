// 'Queue full' (RMSGQFUL) mostly concerns the inbox of one subscriber. If most numbers get it, the queue of the account is full, and Hulaki must
// slow down.

/** The last answers that count. */
const RECENT_ANSWERS = 100
/** With fewer full inboxes, even in a row, the account is not full. */
const MIN_FULL_NUMBERS = 40

export class FullInboxes {
  /** Oldest first, in a ring buffer. */
  readonly #answers: { to: string; isFull: boolean }[] = []
  #next = 0

  /** Adds an answer. Returns whether the account is full, and then starts over. */
  add(to: string, isFull: boolean): boolean {
    this.#answers[this.#next] = { to, isFull }
    this.#next = (this.#next + 1) % RECENT_ANSWERS
    if (!isFull || !this.#isMost()) return false
    this.#answers.length = 0
    this.#next = 0
    return true
  }

  /** More than half of the numbers. */
  #isMost(): boolean {
    const numbers = new Set(this.#answers.map(({ to }) => to))
    const full = new Set(this.#answers.filter(({ isFull }) => isFull).map(({ to }) => to))
    return full.size >= MIN_FULL_NUMBERS && full.size > numbers.size / 2
  }
}
