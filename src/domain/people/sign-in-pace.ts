// Slows down wrong passwords and codes. The wait grows with each wrong attempt, and no account is locked. The wait counts from the last wrong
// attempt from the same place (a browser that signed this person in before, or else the network of the address), so an attacker cannot
// prolong the wait of a person elsewhere.

/** Wrong attempts without a wait: from one place, and for one person from anywhere. */
const FREE_ATTEMPTS = { place: 5, person: 20 }
const MAX_SECONDS = 60
/** Wrong attempts are forgotten after this time. */
export const REMEMBERED_SECONDS = 3600

export interface WrongAttempts {
  times: number
  lastAt: Date
}

/** Whole seconds until the next attempt is allowed; 0 for now. */
export function secondsToWait(
  { place, person }: { place: WrongAttempts | null; person: WrongAttempts | null },
  now: Date,
): number {
  if (!place) return 0
  const pause = Math.max(
    pauseAfter(place.times - FREE_ATTEMPTS.place),
    pauseAfter((person?.times ?? 0) - FREE_ATTEMPTS.person),
  )
  const left = pause - (now.getTime() - place.lastAt.getTime()) / 1000
  return Math.max(0, Math.ceil(left))
}

/** 1, 2, 4 … seconds. */
function pauseAfter(tooOften: number): number {
  return tooOften < 0 ? 0 : Math.min(2 ** tooOften, MAX_SECONDS)
}

/** Recorded in the audit log once per attack. */
export function startsSlowdown(person: WrongAttempts): boolean {
  return person.times === FREE_ATTEMPTS.person
}
