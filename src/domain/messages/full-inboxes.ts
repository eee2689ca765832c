// 'Queue full' (RMSGQFUL): mostly the inbox of one subscriber, which concerns nobody else; but where most numbers are told so, it is
// the account's own queue, and the account is too fast.

/** The last answers, by which it is judged ... */
const LOOKED_AT = 100
/** ... and fewer full inboxes than this among them, even one after the other, say nothing. */
const FEWEST = 40

export class FullInboxes {
  /** Oldest first, in a ring. */
  readonly #answers: { to: string; isFull: boolean }[] = []
  #next = 0

  /** One more answer. Says whether it is the account that is full; then the judgement begins anew. */
  hear(to: string, isFull: boolean): boolean {
    this.#answers[this.#next] = { to, isFull }
    this.#next = (this.#next + 1) % LOOKED_AT
    if (!isFull || !this.#isMost()) return false
    this.#answers.length = 0
    this.#next = 0
    return true
  }

  /** More than half of the numbers. */
  #isMost(): boolean {
    const numbers = new Set(this.#answers.map(({ to }) => to))
    const full = new Set(this.#answers.filter(({ isFull }) => isFull).map(({ to }) => to))
    return full.size >= FEWEST && full.size > numbers.size / 2
  }
}
