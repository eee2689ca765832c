// Judges one OTP send for SMS pumping: codes asked for in bulk, to numbers that never verify them (§5.4, §7.2, D33).

export type PumpingGuardMode = 'off' | 'monitor' | 'block'

export type GuardedClient = {
  mode: 'live' | 'test'
  pumpingGuard: PumpingGuardMode
  // Numbers, or beginnings of them, whose codes always pass.
  pumpingAllowlist: string[] | null
}

export function isGuarded({ mode, pumpingGuard, pumpingAllowlist }: GuardedClient, to: string): boolean {
  const isAllowed = pumpingAllowlist?.some((prefix) => to.startsWith(prefix))
  return mode === 'live' && pumpingGuard !== 'off' && !isAllowed
}

// Distinct numbers, and how many of them verified a code.
export type Conversion = { numbers: number; verified: number }

export type Rule = 'R1' | 'R2' | 'R3'

// A whole block (R1, R2) or operator prefix (R3) is held for a while. The latest hold of a scope is kept until it is forgotten.
export type Hold = { scope: string; rule: Rule; reason: string; strikes: number; struckAt: Date; until: Date }

export type NewHold = Hold & { clientId: string; mode: 'monitor' | 'block' }

// A hold for people to look into: how many codes it refused, and how many passed because the guard only watches.
export type PumpingFinding = Hold & { workspaceId: string; clientId: string; refused: number; passed: number }

// Adds one code that ran into a hold to what was found so far, by client and scope.
export function addFinding(
  findings: Map<string, PumpingFinding>,
  { hold, workspaceId, clientId, isRefused }: { hold: Hold; workspaceId: string; clientId: string; isRefused: boolean },
): void {
  const found = findings.getOrInsertComputed(`${clientId}:${hold.scope}`, () => ({
    ...hold,
    ...{ workspaceId, clientId, refused: 0, passed: 0 },
  }))
  found[isRefused ? 'refused' : 'passed'] += 1
}

const HOUR_SECONDS = 3600
const USUAL_HOURS = 7 * 24

// How far back the guard looks from a moment, and no further than that: what the counts of `PumpingFacts` are of.
export function guardWindows(now: Date) {
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  return {
    trustedSince: ago(TRUSTED_SECONDS),
    neighboursSince: ago(600),
    lastHourSince: ago(HOUR_SECONDS),
    maturedBy: ago(120),
    // Sums are kept by the hour of the clock: the last two touch the last 60 min, the week before them is what is usual.
    sumsSince: ago(2 * HOUR_SECONDS),
    usualSince: ago(USUAL_HOURS * HOUR_SECONDS),
    nearby: NEARBY,
    // No rule needs more numbers than the latest so many; where a client sends much, its latest sends tell.
    mostNumbers: 500,
    mostSends: 10_000,
  }
}

export type GuardWindows = ReturnType<typeof guardWindows>

const DAY_SECONDS = 86_400
// A number that was verified in the workspace is trusted for so long.
const TRUSTED_SECONDS = 90 * DAY_SECONDS

const NEARBY = 50

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
  // Refused if the guard blocks. A hold that is new is to be stored, whatever the guard's mode; else an earlier one is running.
  | { verdict: 'suspect'; hold: Hold; isNew: boolean; holdSeconds: number }

// Operators hand out numbers by the block, and attackers rent or invent them by the block.
export function scopesOf(e164: string): { prefix: string; block: string; lastFour: number } {
  return { prefix: e164.slice(0, -7), block: e164.slice(0, -4), lastFour: Number(e164.slice(-4)) }
}

// What was loaded of one send: the facts, and which neighbours they count, by their last four digits.
export type PumpingLook = { clientId: string; facts: PumpingFacts; nearby: ReadonlySet<number> }

// What is read for every send.
export type CloseFacts = Pick<PumpingFacts, 'isTrusted' | 'block' | 'blockHold' | 'prefixHold'> & {
  // The last four digits of each neighbour, and how many of them verified.
  nearby: number[]
  nearbyVerified: number
  // Sends to the prefix, and verified ones, by the sums of the last two hours of the clock.
  prefixSums: { sends: number; verified: number }
}

// What lies further away: the prefix, and the client's other traffic.
export type WideFacts = Pick<PumpingFacts, 'prefix' | 'elsewhere' | 'normal'> & {
  sendsInHour: number
  // In the week that is usual.
  sendsUsual: number
}

// Whether the wider reads are worth their while. Looser than every rule on purpose: it only spares them where no rule could speak,
// or none needs to.
export function isDoubtful(close: CloseFacts, now: Date): boolean {
  const { isTrusted, nearby, block, prefixSums, blockHold, prefixHold } = close
  const closeBy = nearby.length >= NEIGHBOURS_MIN || block.numbers >= BLOCK_MIN_NONE_VERIFIED
  // The sums are of two hours of the clock, so not the share tells: of 100 numbers of the last hour, over 90 were not verified.
  const unverified = prefixSums.sends - prefixSums.verified
  const surge = prefixSums.sends >= PREFIX_MIN && unverified > PREFIX_MIN * (1 - FEW)
  return !isTrusted && !runningHold(blockHold, prefixHold, now) && (closeBy || surge)
}

const NONE: Conversion = { numbers: 0, verified: 0 }
const NOTHING_WIDE: WideFacts = { prefix: NONE, elsewhere: NONE, normal: NONE, sendsInHour: 0, sendsUsual: 0 }

// The facts of one send, from what was read of it; null where the wider reads were spared.
export function lookOf(
  { clientId, to }: { clientId: string; to: string },
  { close, wide, now }: { close: CloseFacts; wide: WideFacts | null; now: Date },
): PumpingLook {
  const { nearby, nearbyVerified, prefixSums: _, ...known } = close
  const { sendsInHour, sendsUsual, ...further } = wide ?? NOTHING_WIDE
  const facts = {
    to,
    at: now,
    ...known,
    ...further,
    neighbours: { numbers: nearby.length, verified: nearbyVerified },
    prefixSends: { lastHour: sendsInHour, usualPerHour: sendsUsual / USUAL_HOURS },
  }
  return { clientId, facts, nearby: new Set(nearby) }
}

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
    if (verdict.verdict === 'suspect' && verdict.isNew)
      this.#holds.set(`${clientId}:${verdict.hold.scope}`, verdict.hold)
    return verdict
  }

  noteSent({ clientId, facts }: PumpingLook): void {
    const { block, lastFour } = scopesOf(facts.to)
    this.#sent.getOrInsertComputed(`${clientId}:${block}`, () => new Set()).add(lastFour)
  }
}

export function judgeOtpSend(facts: PumpingFacts): PumpingVerdict {
  if (facts.isTrusted) return { verdict: 'pass' }
  const running = runningHold(facts.blockHold, facts.prefixHold, facts.at)
  if (running) return suspect(running, { at: facts.at, isNew: false })
  const suspicion = deadNeighbours(facts) ?? deadBlock(facts) ?? deadSurge(facts)
  if (!suspicion) return { verdict: 'pass' }
  // Five neighbours are too few for an outage to explain; a block or a prefix may just share the fate of all others.
  if (suspicion.rule !== 'R1' && looksLikeOutage(facts)) {
    const { numbers, verified } = facts.elsewhere
    const reason = `${suspicion.reason}; elsewhere ${verified} of ${numbers} verified, so it looks like an outage`
    return { verdict: 'outage', rule: suspicion.rule, reason }
  }
  const hold = strike(suspicion, suspicion.rule === 'R3' ? facts.prefixHold : facts.blockHold, facts.at)
  return suspect(hold, { at: facts.at, isNew: true })
}

function runningHold(block: Hold | null, prefix: Hold | null, now: Date): Hold | undefined {
  return [block, prefix].find((hold): hold is Hold => hold !== null && hold.until > now)
}

function suspect(hold: Hold, { at, isNew }: { at: Date; isNew: boolean }): PumpingVerdict {
  const holdSeconds = Math.ceil((hold.until.getTime() - at.getTime()) / 1000)
  return { verdict: 'suspect', hold, isNew, holdSeconds }
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
const STRIKES_FORGOTTEN_SECONDS = DAY_SECONDS

// How long what the guard goes by is remembered: sends for people to look into, sums as long as a week's mean needs.
export const GUARD_MEMORY_SECONDS = {
  sends: 30 * DAY_SECONDS,
  sums: 8 * DAY_SECONDS,
  verifiedNumbers: TRUSTED_SECONDS,
  holds: STRIKES_FORGOTTEN_SECONDS,
  findings: 30 * DAY_SECONDS,
  // As long as a year's chart needs.
  days: 400 * DAY_SECONDS,
}

function strike(suspicion: Suspicion, previous: Hold | null, at: Date): Hold {
  const forgottenAt = (previous?.struckAt.getTime() ?? 0) + STRIKES_FORGOTTEN_SECONDS * 1000
  const strikes = previous !== null && at.getTime() < forgottenAt ? previous.strikes + 1 : 1
  const seconds = Math.min(FIRST_HOLD_SECONDS * HOLD_GROWTH ** (strikes - 1), MAX_HOLD_SECONDS)
  return { ...suspicion, strikes, struckAt: at, until: new Date(at.getTime() + seconds * 1000) }
}
