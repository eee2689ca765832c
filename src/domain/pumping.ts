// Judges one OTP send for SMS pumping: codes asked for in bulk, to numbers that never verify them (§5.4, §7.2, D33).

export type PumpingGuardMode = 'off' | 'monitor' | 'block'

// Distinct numbers, and how many of them verified a code.
export type Conversion = { numbers: number; verified: number }

export type Rule = 'R1' | 'R2' | 'R3'

// A whole block (R1, R2) or operator prefix (R3) is held for a while. The latest hold of a scope is kept until it is forgotten.
export type Hold = { scope: string; rule: Rule; reason: string; strikes: number; struckAt: Date; until: Date }

export type NewHold = Hold & { clientId: string; mode: 'monitor' | 'block' }

// What is known when a client asks for a code. All counts are of that client's own sends, without this one and without those that
// failed (§3.1). A send is matured once verified, or when it is 120 s old. A number counts once, as verified if any of its counted
// sends was. Block and prefix are those of `scopesOf(to)`. A count of numbers may stop at the 500 latest: no rule needs more.
export type PumpingFacts = {
  to: string
  at: Date
  // Always passes: the client is in test mode, or the number is on its allow-list or was verified in this workspace within 90 days.
  isTrusted: boolean
  // Other numbers of the block within ±50 of this one, sent in the last 10 min, matured or not.
  neighbours: Conversion
  // Matured numbers of the block, sent in the last 60 min.
  block: Conversion
  // Matured numbers of the prefix, sent in the last 60 min.
  prefix: Conversion
  // Sends to the prefix in the last 60 min, and per hour over the 7 days before; whole sums, so best kept by the hour.
  prefixSends: { lastHour: number; usualPerHour: number }
  // Matured numbers outside the prefix, sent in the last 60 min: does the rest of the world still verify?
  elsewhere: Conversion
  // Matured numbers anywhere, sent in the 7 days before the last 60 min: what is normal for this client. Sums by the hour do.
  normal: Conversion
  blockHold: Hold | null
  prefixHold: Hold | null
}

export type PumpingVerdict =
  | { verdict: 'pass' }
  // A rule spoke, but codes fail elsewhere as well: send it, and tell the operator.
  | { verdict: 'outage'; rule: Rule; reason: string }
  // Refused if the guard blocks. `newHold` is to be stored, whatever the guard's mode; null while an earlier one is running.
  | { verdict: 'suspect'; rule: Rule; reason: string; holdSeconds: number; newHold: Hold | null }

// Operators hand out numbers by the block, and attackers rent or invent them by the block.
export function scopesOf(e164: string): { prefix: string; block: string; lastFour: number } {
  return { prefix: e164.slice(0, -7), block: e164.slice(0, -4), lastFour: Number(e164.slice(-4)) }
}

// What was loaded of one send: the facts, and which neighbours they count, by their last four digits.
export type PumpingLook = { clientId: string; facts: PumpingFacts; nearby: ReadonlySet<number> }

const NEARBY = 50

// Judges the sends of a batch in turn: each sees the neighbours that those before it have sent to, and the holds they brought about.
export class PumpingWatch {
  readonly #sent = new Map<string, Set<number>>()
  readonly #holds = new Map<string, Hold>()

  judge({ clientId, facts, nearby }: PumpingLook): PumpingVerdict {
    const { prefix, block, lastFour } = scopesOf(facts.to)
    const isNews = (other: number) => other !== lastFour && Math.abs(other - lastFour) <= NEARBY && !nearby.has(other)
    const news = [...(this.#sent.get(`${clientId}:${block}`) ?? [])].filter(isNews).length
    const verdict = judgeOtpSend({
      ...facts,
      neighbours: { ...facts.neighbours, numbers: facts.neighbours.numbers + news },
      blockHold: this.#holds.get(`${clientId}:${block}`) ?? facts.blockHold,
      prefixHold: this.#holds.get(`${clientId}:${prefix}`) ?? facts.prefixHold,
    })
    if (verdict.verdict === 'suspect' && verdict.newHold)
      this.#holds.set(`${clientId}:${verdict.newHold.scope}`, verdict.newHold)
    return verdict
  }

  noteSent({ clientId, facts }: PumpingLook): void {
    const { block, lastFour } = scopesOf(facts.to)
    this.#sent.getOrInsertComputed(`${clientId}:${block}`, () => new Set()).add(lastFour)
  }
}

export function judgeOtpSend(facts: PumpingFacts): PumpingVerdict {
  if (facts.isTrusted) return { verdict: 'pass' }
  const running = [facts.blockHold, facts.prefixHold].find((hold) => hold !== null && hold.until > facts.at)
  if (running) return suspect(running, facts.at, null)
  const suspicion = deadNeighbours(facts) ?? deadBlock(facts) ?? deadSurge(facts)
  if (!suspicion) return { verdict: 'pass' }
  // Five neighbours are too few for an outage to explain; a block or a prefix may just share the fate of all others.
  if (suspicion.rule !== 'R1' && looksLikeOutage(facts)) {
    const { numbers, verified } = facts.elsewhere
    const reason = `${suspicion.reason}; elsewhere ${verified} of ${numbers} verified, so it looks like an outage`
    return { verdict: 'outage', rule: suspicion.rule, reason }
  }
  const hold = strike(suspicion, suspicion.rule === 'R3' ? facts.prefixHold : facts.blockHold, facts.at)
  return suspect(hold, facts.at, hold)
}

function suspect(hold: Hold, at: Date, newHold: Hold | null): PumpingVerdict {
  const holdSeconds = Math.ceil((hold.until.getTime() - at.getTime()) / 1000)
  return { verdict: 'suspect', rule: hold.rule, reason: hold.reason, holdSeconds, newHold }
}

type Suspicion = { rule: Rule; scope: string; reason: string }

const NEIGHBOURS_MIN = 5

function deadNeighbours(facts: PumpingFacts): Suspicion | null {
  if (facts.neighbours.numbers < NEIGHBOURS_MIN || facts.neighbours.verified > 0) return null
  const { block } = scopesOf(facts.to)
  return {
    rule: 'R1',
    scope: block,
    reason: sentence(facts, facts.neighbours, `side by side in ${block}xxxx in 10 min`),
  }
}

const BLOCK_MIN_NONE_VERIFIED = 8
const BLOCK_MIN_FEW_VERIFIED = 20
const FEW = 0.1

function deadBlock(facts: PumpingFacts): Suspicion | null {
  const { numbers, verified } = facts.block
  const isDead = numbers >= BLOCK_MIN_NONE_VERIFIED && verified === 0
  if (!isDead && (numbers < BLOCK_MIN_FEW_VERIFIED || share(facts.block) >= FEW)) return null
  const { block } = scopesOf(facts.to)
  return { rule: 'R2', scope: block, reason: sentence(facts, facts.block, `in ${block}xxxx in 60 min`) }
}

const PREFIX_MIN = 100
const SURGE_TIMES = 3
const USUAL_PER_HOUR_FLOOR = 30

function deadSurge(facts: PumpingFacts): Suspicion | null {
  if (facts.prefix.numbers < PREFIX_MIN || share(facts.prefix) >= FEW) return null
  const times = facts.prefixSends.lastHour / Math.max(facts.prefixSends.usualPerHour, USUAL_PER_HOUR_FLOOR)
  if (times < SURGE_TIMES) return null
  const { prefix } = scopesOf(facts.to)
  const where = `in ${prefix}xxxxxxx in 60 min, ${Math.floor(times)} times the usual`
  return { rule: 'R3', scope: prefix, reason: sentence(facts, facts.prefix, where) }
}

// The operator reads this, and the customer whose codes are refused: numbers they can check, no score.
function sentence({ normal }: PumpingFacts, { numbers, verified }: Conversion, where: string): string {
  const usual = normal.numbers < ENOUGH ? '' : `; your normal is ${Math.round(share(normal) * 100)} %`
  return `${numbers} numbers ${where}, ${verified} verified${usual}`
}

const ENOUGH = 30

function looksLikeOutage({ elsewhere, normal }: PumpingFacts): boolean {
  return elsewhere.numbers >= ENOUGH && normal.numbers >= ENOUGH && share(elsewhere) < share(normal) / 2
}

function share({ numbers, verified }: Conversion): number {
  return verified / numbers
}

const FIRST_HOLD_SECONDS = 15 * 60
const HOLD_GROWTH = 4
const MAX_HOLD_SECONDS = 12 * 3600
const STRIKES_FORGOTTEN_SECONDS = 24 * 3600

function strike(suspicion: Suspicion, previous: Hold | null, at: Date): Hold {
  const forgottenAt = (previous?.struckAt.getTime() ?? 0) + STRIKES_FORGOTTEN_SECONDS * 1000
  const strikes = previous !== null && at.getTime() < forgottenAt ? previous.strikes + 1 : 1
  const seconds = Math.min(FIRST_HOLD_SECONDS * HOLD_GROWTH ** (strikes - 1), MAX_HOLD_SECONDS)
  return { ...suspicion, strikes, struckAt: at, until: new Date(at.getTime() + seconds * 1000) }
}
