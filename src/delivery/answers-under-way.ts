// The answers that are just being recorded, by the carrier's ids: a receipt that comes on the heels of its answer waits for that one,
// and for no other.

/** The carrier waits as well, and may have other receipts behind this one. */
const LONGEST_WAIT_MS = 1_000

interface Named {
  carrierId: string
  /** The carrier's id in the one spelling that is compared. */
  reference: string | null
}

export class AnswersUnderWay {
  readonly #recording = new Map<string, Promise<unknown>>()

  /** Until this try has come out, however it does. */
  add(answer: Named, recorded: Promise<unknown>): void {
    if (answer.reference === null) return
    const key = keyOf(answer)
    const done = recorded
      .catch(() => {})
      .then(() => {
        if (this.#recording.get(key) === done) this.#recording.delete(key)
      })
    this.#recording.set(key, done)
  }

  /** Returns when there is nothing to wait for, or it has taken long enough: a report without its answer is kept until that is here. */
  async settled(report: Named): Promise<void> {
    // The answer may have come in the same packet, and be on its way here through a few promises: those are first.
    await new Promise(setImmediate)
    const recording = this.#recording.get(keyOf(report))
    if (!recording) return
    const enough = Promise.withResolvers<void>()
    const timer = setTimeout(enough.resolve, LONGEST_WAIT_MS)
    await Promise.race([recording, enough.promise])
    clearTimeout(timer)
  }
}

function keyOf({ carrierId, reference }: Named): string {
  return `${carrierId} ${reference}`
}
