// Whether what a workspace sends goes to the simulator, where it reaches nobody: people are to see that at a glance.
import { readPhoneNumber } from '../phone-number.ts'
import { carriersFor, destinationOf, type Route } from './routing.ts'

export type Simulated = 'all' | 'some' | 'none'

/**
 * By the routes alone, whether carriers work or not: as long as no route of a country's own serves all of it, routes for every country
 * may. `countries` are those that can be sent to.
 */
export function simulatedPart(
  routes: readonly Pick<Route, 'country' | 'prefixes' | 'types' | 'carrierId'>[],
  { simulatorId, countries }: { simulatorId: string | null; countries: readonly string[] },
): Simulated {
  const leading = countries.flatMap((country) => {
    const own = routes.filter((route) => route.country === country)
    const servesAll = own.some(({ prefixes, types }) => prefixes.length === 0 && types === null)
    return servesAll ? own : [...own, ...routes.filter((route) => route.country === '*')]
  })
  const simulated = leading.filter((route) => route.carrierId === simulatorId)
  if (simulatorId === null || simulated.length === 0) return 'none'
  return simulated.length === leading.length ? 'all' : 'some'
}

/** What can be brought about on purpose, and the last two digits that do it (docs/reference/simulator.md). */
const TRIGGER_ENDINGS = {
  delivered: '01',
  undelivered: '02',
  failed: '03',
  rejected: '11',
  inbound: '07',
} as const
export type Triggered = keyof typeof TRIGGER_ENDINGS
export const TRIGGERED = Object.keys(TRIGGER_ENDINGS) as Triggered[]

/** A number with that ending: of the one that is given, or by chance, so that no limit per number is met. Null where none is known. */
export function triggerNumber(
  outcome: Triggered,
  { given, country, draw }: { given: string | null; country: string; draw: (below: number) => number },
): string | null {
  const ending = TRIGGER_ENDINGS[outcome]
  if (given !== null) return given.slice(0, -ending.length) + ending
  return country === 'NP' ? `+977980${String(draw(100_000)).padStart(5, '0')}${ending}` : null
}

/** Whether a code to it can go to the simulator only: what somebody tries out must never reach a handset of the world. */
export function isOnlySimulated(routes: readonly Route[], to: string, { simulatorId, home }: Home): boolean {
  const number = readPhoneNumber(to, home)
  if (!number.ok) return true // It is refused for that, and goes nowhere.
  const { country, e164 } = number
  const carriers = carriersFor(routes, destinationOf(routes, { country, to: e164 }), { type: 'otp' })
  return carriers.length > 0 && carriers.every((id) => id === simulatorId)
}

interface Home {
  simulatorId: string | null
  /** The country whose numbers need no plus. */
  home: string
}
