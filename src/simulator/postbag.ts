// Receipts and replies on their way to whoever is bound to receive: tried again, on any bind, until one is taken.
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Body } from '../smpp/commands.ts'
import type { Session } from '../smpp/session.ts'
import { commandStatus } from '../smpp/status.ts'
import type { Outcome } from '../smpp/window.ts'
import type { Agenda } from './agenda.ts'

interface Letter {
  message: Body<'deliver_sm'>
  postedAt: Date
  tries: number
}

const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 600_000
const GIVEN_UP_AFTER_MS = 86_400_000
/** Bounds the memory that a receiver who never comes can cost. */
const MOST_LETTERS = 100_000

export class Postbag {
  readonly #clock: Clock
  readonly #log: Log
  readonly #agenda: Agenda
  readonly #receivers: Session[] = []
  #held: Letter[] = []
  #letters = 0

  constructor({ clock, log, agenda }: { clock: Clock; log: Log; agenda: Agenda }) {
    this.#clock = clock
    this.#log = log
    this.#agenda = agenda
  }

  /** From now on this session receives; what was held for want of one goes out. */
  join(session: Session): void {
    this.#receivers.push(session)
    for (const letter of this.#held.splice(0)) this.#agenda.at(this.#clock.now(), () => this.#carry(letter))
  }

  leave(session: Session): void {
    const index = this.#receivers.indexOf(session)
    if (index >= 0) this.#receivers.splice(index, 1)
  }

  /** Resolves after the first try, however it went. */
  async post(message: Body<'deliver_sm'>): Promise<void> {
    if (this.#letters >= MOST_LETTERS) return this.#log.warn('the postbag of the simulator is full: a receipt is lost')
    this.#letters += 1
    await this.#carry({ message, postedAt: this.#clock.now(), tries: 0 })
  }

  async #carry(letter: Letter): Promise<void> {
    for (let session = this.#nextReceiver(); session; session = this.#nextReceiver()) {
      const outcome = await session.deliver(letter.message)
      // It did not leave, for the session is ending: there may be another one.
      if (outcome.kind === 'not_written') continue
      if (isSettled(outcome)) this.#letters -= 1
      else this.#carryLater(letter)
      return
    }
    this.#held.push(letter)
  }

  /** Refused for now, or without an answer: a receiver must cope with what comes twice. */
  #carryLater(letter: Letter): void {
    const now = this.#clock.now().getTime()
    if (now - letter.postedAt.getTime() > GIVEN_UP_AFTER_MS) {
      this.#letters -= 1
      return
    }
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** letter.tries, LONGEST_WAIT_MS)
    letter.tries += 1
    this.#agenda.at(new Date(now + waitMs), () => this.#carry(letter))
  }

  /** All take their turn. */
  #nextReceiver(): Session | undefined {
    const index = this.#receivers.findIndex((session) => session.state === 'bound')
    if (index < 0) return undefined
    const [session] = this.#receivers.splice(index, 1)
    if (session) this.#receivers.push(session)
    return session
  }
}

/** Taken, or refused for good. */
function isSettled(outcome: Outcome): boolean {
  const { ESME_ROK, ESME_RX_P_APPN, ESME_RX_R_APPN } = commandStatus
  const final: number[] = [ESME_ROK, ESME_RX_P_APPN, ESME_RX_R_APPN]
  return outcome.kind === 'answered' && final.includes(outcome.status)
}
