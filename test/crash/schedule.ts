// The decisions of a run, all drawn from its seed: what is killed, when, and what the load sends. Timing differs from run to run.

/** Where a peer can stop a message, or notice that it passes. */
export const PEER_POINTS = {
  'submitted, no answer': 'carrier',
  'answer on the wire': 'carrier',
  'receipt on the wire': 'carrier',
  'webhook posted, no answer': 'receiver',
} as const
export type PeerPoint = keyof typeof PEER_POINTS

/** Commits that are on disk, but that PostgreSQL has not confirmed: the statement on a table that the commit contains. */
export const COMMIT_POINTS = {
  'send committed, no 200': `after insert on ledger_entry for each row when (new.kind = 'reservation')`,
  'claim committed, not on the wire': 'after insert on claim for each row',
  'carrier answer committed': 'after insert on submission for each row',
  'receipt committed, not acknowledged': `after update on message for each row when (old.dlr is null and new.dlr is not null)`,
  'claim deletion committed': 'after delete on claim for each row',
  'webhooks claimed, not posted': 'after insert on webhook_claim for each row',
  'webhook attempt committed': 'after insert on webhook_attempt for each row',
} as const
export type CommitPoint = keyof typeof COMMIT_POINTS

const RANDOM_TIME = 'random time'
export type Point = PeerPoint | CommitPoint | typeof RANDOM_TIME

export const VICTIMS = [
  'service, kill -9',
  'primary process, kill -9',
  'service, SIGTERM',
  'worker process, kill -9',
  'PostgreSQL, -m immediate',
  'PostgreSQL backend, kill -9',
] as const
export type Victim = (typeof VICTIMS)[number]

/** A restart of the whole service takes longest, so the others are killed twice as often. */
const CHOICES = [...VICTIMS, ...VICTIMS.slice(3)]

export interface Kill {
  number: number
  victim: Victim
  point: Point
  /** After the recovery from the previous kill, to build up load. */
  pauseMs: number
  /** Which worker, backend or carrier; reduced to their number. */
  choice: number
}

export const ROUTES = ['smpp', 'http', 'resending'] as const
/** `resending` is an SMPP carrier with `resendUnknown`. */
export type Route = (typeof ROUTES)[number]
export const PREFIX: Record<Route, string> = { smpp: '+97798', http: '+97797', resending: '+97796' }

/** Connections of a carrier, and the submissions that may be open on each. */
export const BINDS = 2
export const WINDOW = 10
/** All submissions that can be open at once. */
export const OPEN_WINDOW = ROUTES.length * BINDS * WINDOW

/** What the network does with a message, by the last digit of its number. */
const OUTCOMES = ['delivered', 'undelivered', 'refused'] as const
type NetworkOutcome = (typeof OUTCOMES)[number]

export interface PlannedSend {
  number: number
  key: string
  to: string
  isOtp: boolean
  /** Two requests at the same time with the same key. */
  isTwin: boolean
  /** Repeats the request after its 200. */
  isReplayed: boolean
  pauseMs: number
}

export function planKills(seed: number, count: number): Kill[] {
  const random = new SeededRandom(seed)
  const points: Point[] = [...keysOf(PEER_POINTS), ...keysOf(COMMIT_POINTS), RANDOM_TIME, RANDOM_TIME]
  return Array.from({ length: count }, (_, index) => {
    const victim = random.pick(CHOICES)
    const point = random.pick(points)
    return {
      number: index + 1,
      victim,
      // A stop waits for answers, so it is not combined with peers or commits that are held.
      point: victim === 'service, SIGTERM' ? RANDOM_TIME : point,
      pauseMs: random.below(600),
      choice: random.below(1_000),
    }
  })
}

/** Independent of the order in which the senders take their numbers. */
export function planSend(seed: number, number: number): PlannedSend {
  const random = new SeededRandom(seed + number * 7_919)
  const route = random.pick(ROUTES)
  const outcome = random.below(10) < 8 ? 'delivered' : random.pick(OUTCOMES.slice(1))
  const digit = OUTCOMES.indexOf(outcome)
  return {
    number,
    key: `${seed}-${number}`,
    to: `${PREFIX[route]}${String(number).padStart(7, '0')}${digit}`,
    isOtp: random.below(100) < 12,
    isTwin: random.below(100) < 5,
    isReplayed: random.below(100) < 5,
    pauseMs: random.below(100),
  }
}

export function routeOf(to: string): Route {
  return ROUTES.find((route) => to.startsWith(PREFIX[route])) ?? 'smpp'
}

export function networkOutcomeOf(to: string): NetworkOutcome {
  return OUTCOMES[Number(to.at(-1))] ?? 'delivered'
}

export function keysOf<Key extends string>(record: Record<Key, unknown>): Key[] {
  return Object.keys(record) as Key[]
}

/** Mulberry32: small, and the same on every machine. */
class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
    // Neighbouring seeds begin alike.
    for (let warmUp = 0; warmUp < 4; warmUp++) this.below(2)
  }

  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value
  }
}
