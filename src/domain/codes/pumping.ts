// Checks one OTP send for SMS pumping: bulk requests for OTPs to numbers that never verify them (§5.4, §7.2, D33).

import { DAY_SECONDS } from '../durations.ts'

export type PumpingGuardMode = 'off' | 'monitor' | 'block'

export type GuardedClient = {
  mode: 'live' | 'test'
  pumpingGuard: PumpingGuardMode
  // Numbers or prefixes whose OTPs always pass.
  pumpingAllowlist: string[] | null
}

export function isGuarded({ mode, pumpingGuard, pumpingAllowlist }: GuardedClient, to: string): boolean {
  const isAllowed = pumpingAllowlist?.some((prefix) => to.startsWith(prefix))
  return mode === 'live' && pumpingGuard !== 'off' && !isAllowed
}

// Distinct numbers, and how many of them verified an OTP.
export type Conversion = { numbers: number; verified: number }

export type Rule = 'R1' | 'R2' | 'R3'

// Blocks a number block (R1, R2) or an operator prefix (R3) for a while. The latest hold of a scope is kept until it is forgotten.
export type Hold = { scope: string; rule: Rule; reason: string; strikes: number; struckAt: Date; until: Date }

export type NewHold = Hold & { clientId: string; mode: 'monitor' | 'block' }

// A hold for people to review: how many OTPs it rejected, and how many passed in monitor mode.
export type PumpingFinding = Hold & { workspaceId: string; clientId: string; refused: number; passed: number }

// Counts one OTP under a hold, by client and scope.
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

// The time windows of the counts in `PumpingFacts`.
export function guardWindows(now: Date) {
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  return {
    trustedSince: ago(TRUSTED_SECONDS),
    neighboursSince: ago(600),
    lastHourSince: ago(HOUR_SECONDS),
    maturedBy: ago(120),
    // Sums are kept by clock hour: the last two cover the last 60 min, the week before them is the usual traffic.
    sumsSince: ago(2 * HOUR_SECONDS),
    usualSince: ago(USUAL_HOURS * HOUR_SECONDS),
    nearby: NEARBY,
    // No rule needs more numbers than the latest 500; for busy clients the latest sends suffice.
    maxNumbers: 500,
    maxSends: 10_000,
  }
}

export type GuardWindows = ReturnType<typeof guardWindows>

// How long a number that was verified in the workspace is trusted.
const TRUSTED_SECONDS = 90 * DAY_SECONDS

const NEARBY = 50

// The facts about one OTP request. All counts are of that client's own sends, without this one and without failed ones (§3.1). A send is mature
// once verified, or after 120 s. A number counts once, as verified if any of its counted sends was. Block and prefix are those of
// `splitNumber(to)`. A count of numbers may stop at the 500 latest, because no rule needs more.
export type PumpingFacts = {
  to: string
  at: Date
  // Always passes: a test client, a number on the allow list, or a number verified in this workspace within 90 days.
  isTrusted: boolean
  // Other numbers of the block within ±50 of this one, sent in the last 10 min, mature or not.
  neighbours: Conversion
  // Mature numbers of the block, sent in the last 60 min.
  block: Conversion
  // Mature numbers of the prefix, sent in the last 60 min.
  prefix: Conversion
  // Sends to the prefix in the last 60 min, and per hour over the 7 days before.
  prefixSends: { lastHour: number; usualPerHour: number }
  // Mature numbers outside the prefix, sent in the last 60 min: they show whether other traffic still verifies.
  elsewhere: Conversion
  // Mature numbers anywhere, sent in the 7 days before the last 60 min: the client's normal rate.
  normal: Conversion
  blockHold: Hold | null
  prefixHold: Hold | null
}

export type PumpingVerdict =
  | { verdict: 'pass' }
  // A rule matches, but OTPs fail elsewhere as well: the OTP is sent, and the operator is alerted.
  | { verdict: 'outage'; rule: Rule; reason: string }
  // Rejected if the guard blocks. A new hold is stored in every mode; otherwise an earlier one is still active.
  | { verdict: 'suspect'; hold: Hold; isNew: boolean; holdSeconds: number }

// Operators assign numbers by block, and attackers rent or invent them by block.
export function splitNumber(e164: string): { prefix: string; block: string; lastFour: number } {
  return { prefix: e164.slice(0, -7), block: e164.slice(0, -4), lastFour: Number(e164.slice(-4)) }
}

// The loaded facts of one send, and the counted neighbours by their last four digits.
export type PumpingCase = { clientId: string; facts: PumpingFacts; nearby: ReadonlySet<number> }

// Loaded for every send.
export type CloseFacts = Pick<PumpingFacts, 'isTrusted' | 'block' | 'blockHold' | 'prefixHold'> & {
  // The last four digits of each neighbour, and how many of them verified.
  nearby: number[]
  nearbyVerified: number
  // Sends to the prefix, and verified ones, from the sums of the last two clock hours.
  prefixSums: { sends: number; verified: number }
}

// Loaded only for suspicious sends: the prefix, and the client's other traffic.
export type WideFacts = Pick<PumpingFacts, 'prefix' | 'elsewhere' | 'normal'> & {
  sendsInHour: number
  // In the week before.
  sendsUsual: number
}

// Whether the wide facts are needed. Looser than every rule: it skips them only if no rule can match.
export function needsWideFacts(close: CloseFacts, now: Date): boolean {
  const { isTrusted, nearby, block, prefixSums, blockHold, prefixHold } = close
  const closeBy = nearby.length >= NEIGHBOURS_MIN || block.numbers >= BLOCK_MIN_NONE_VERIFIED
  // The sums cover two clock hours, so a share would mislead: of 100 numbers in the last hour, more than 90 must be unverified.
  const unverified = prefixSums.sends - prefixSums.verified
  const surge = prefixSums.sends >= PREFIX_MIN && unverified > PREFIX_MIN * (1 - FEW)
  return !isTrusted && !runningHold(blockHold, prefixHold, now) && (closeBy || surge)
}

const NONE: Conversion = { numbers: 0, verified: 0 }
const NOTHING_WIDE: WideFacts = { prefix: NONE, elsewhere: NONE, normal: NONE, sendsInHour: 0, sendsUsual: 0 }

// The facts of one send; `wide` is null if they were not needed.
export function pumpingCaseOf(
  { clientId, to }: { clientId: string; to: string },
  { close, wide, now }: { close: CloseFacts; wide: WideFacts | null; now: Date },
): PumpingCase {
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

// Checks the sends of a batch in order: each sees the neighbours and holds of earlier ones.
export class PumpingWatch {
  readonly #sent = new Map<string, Set<number>>()
  readonly #holds = new Map<string, Hold>()

  check({ clientId, facts, nearby }: PumpingCase): PumpingVerdict {
    const { prefix, block, lastFour } = splitNumber(facts.to)
    const isNew = (other: number) => other !== lastFour && Math.abs(other - lastFour) <= NEARBY && !nearby.has(other)
    const newNumbers = [...(this.#sent.get(`${clientId}:${block}`) ?? [])].filter(isNew).length
    const verdict = checkOtpSend({
      ...facts,
      neighbours: { ...facts.neighbours, numbers: facts.neighbours.numbers + newNumbers },
      blockHold: this.#holds.get(`${clientId}:${block}`) ?? facts.blockHold,
      prefixHold: this.#holds.get(`${clientId}:${prefix}`) ?? facts.prefixHold,
    })
    if (verdict.verdict === 'suspect' && verdict.isNew)
      this.#holds.set(`${clientId}:${verdict.hold.scope}`, verdict.hold)
    return verdict
  }

  noteSent({ clientId, facts }: PumpingCase): void {
    const { block, lastFour } = splitNumber(facts.to)
    this.#sent.getOrInsertComputed(`${clientId}:${block}`, () => new Set()).add(lastFour)
  }
}

export function checkOtpSend(facts: PumpingFacts): PumpingVerdict {
  if (facts.isTrusted) return { verdict: 'pass' }
  const running = runningHold(facts.blockHold, facts.prefixHold, facts.at)
  if (running) return suspect(running, { at: facts.at, isNew: false })
  const suspicion = deadNeighbours(facts) ?? deadBlock(facts) ?? deadSurge(facts)
  if (!suspicion) return { verdict: 'pass' }
  // Five neighbours are too few for an outage to explain; a block or a prefix may fail together with all other traffic.
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
  const { block } = splitNumber(facts.to)
  return {
    rule: 'R1',
    scope: block,
    reason: describeReason(facts, facts.neighbours, `side by side in ${block}xxxx in 10 min`),
  }
}

const BLOCK_MIN_NONE_VERIFIED = 8
const BLOCK_MIN_FEW_VERIFIED = 20
const FEW = 0.1

function deadBlock(facts: PumpingFacts): Suspicion | null {
  const { numbers, verified } = facts.block
  const isDead = numbers >= BLOCK_MIN_NONE_VERIFIED && verified === 0
  if (!isDead && (numbers < BLOCK_MIN_FEW_VERIFIED || share(facts.block) >= FEW)) return null
  const { block } = splitNumber(facts.to)
  return { rule: 'R2', scope: block, reason: describeReason(facts, facts.block, `in ${block}xxxx in 60 min`) }
}

const PREFIX_MIN = 100
const SURGE_TIMES = 3
const USUAL_PER_HOUR_FLOOR = 30

function deadSurge(facts: PumpingFacts): Suspicion | null {
  if (facts.prefix.numbers < PREFIX_MIN || share(facts.prefix) >= FEW) return null
  const times = facts.prefixSends.lastHour / Math.max(facts.prefixSends.usualPerHour, USUAL_PER_HOUR_FLOOR)
  if (times < SURGE_TIMES) return null
  const { prefix } = splitNumber(facts.to)
  const where = `in ${prefix}xxxxxxx in 60 min, ${Math.floor(times)} times the usual`
  return { rule: 'R3', scope: prefix, reason: describeReason(facts, facts.prefix, where) }
}

// Operators and customers read this reason, so it has numbers they can check instead of a score.
function describeReason({ normal }: PumpingFacts, { numbers, verified }: Conversion, where: string): string {
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

// How long the guard keeps its data: sends for review, sums for the weekly mean.
export const GUARD_MEMORY_SECONDS = {
  sends: 30 * DAY_SECONDS,
  sums: 8 * DAY_SECONDS,
  verifiedNumbers: TRUSTED_SECONDS,
  holds: STRIKES_FORGOTTEN_SECONDS,
  findings: 30 * DAY_SECONDS,
  // For a chart of one year.
  days: 400 * DAY_SECONDS,
}

function strike(suspicion: Suspicion, previous: Hold | null, at: Date): Hold {
  const forgottenAt = (previous?.struckAt.getTime() ?? 0) + STRIKES_FORGOTTEN_SECONDS * 1000
  const strikes = previous !== null && at.getTime() < forgottenAt ? previous.strikes + 1 : 1
  const seconds = Math.min(FIRST_HOLD_SECONDS * HOLD_GROWTH ** (strikes - 1), MAX_HOLD_SECONDS)
  return { ...suspicion, strikes, struckAt: at, until: new Date(at.getTime() + seconds * 1000) }
}
