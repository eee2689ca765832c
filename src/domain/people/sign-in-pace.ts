// How fast somebody may try passwords and codes. Whoever was wrong too often waits, longer each time, and is then heard again:
// nobody is locked out. What makes one wait is counted from the last time that it was wrong from the very same place (a browser
// that signed this person in before, or else the network of the address), so nobody can prolong the wait of somebody elsewhere.

/** So often is wrong for nothing: from one place, and for one person from anywhere. */
const FREE = { place: 5, person: 20 }
const LONGEST_SECONDS = 60
/** Then it is forgotten. */
export const REMEMBERED_SECONDS = 3600

export interface Wrong {
  times: number
  lastAt: Date
}

/** Whole seconds until the next try is heard; 0 for at once. */
export function secondsToWait({ place, person }: { place: Wrong | null; person: Wrong | null }, now: Date): number {
  if (!place) return 0
  const pause = Math.max(pauseAfter(place.times - FREE.place), pauseAfter((person?.times ?? 0) - FREE.person))
  const left = pause - (now.getTime() - place.lastAt.getTime()) / 1000
  return Math.max(0, Math.ceil(left))
}

/** 1, 2, 4 … seconds. */
function pauseAfter(tooOften: number): number {
  return tooOften < 0 ? 0 : Math.min(2 ** tooOften, LONGEST_SECONDS)
}

/** Told in the audit log, once per attack. */
export function beginsToSlow(person: Wrong): boolean {
  return person.times === FREE.person
}
