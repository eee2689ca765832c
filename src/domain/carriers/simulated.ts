// Whether the messages of a workspace go to the simulator, so that people see it at a glance.
import { readPhoneNumber } from '../phone-number.ts'
import { carriersFor, findDestination, type Route } from './routing.ts'

export type Simulated = 'all' | 'some' | 'none'

/**
 * Decides by routes alone, not by the health of carriers. Routes for all countries count until a route of the country itself covers all its
 * numbers and types. `countries` are the ones that messages may go to.
 */
export function simulatedShare(
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

/** Outcomes that the simulator can produce, and the last two digits that trigger them (docs/reference/simulator.md). */
const TRIGGER_ENDINGS = {
  delivered: '01',
  undelivered: '02',
  failed: '03',
  rejected: '11',
  inbound: '07',
} as const
export type TriggerOutcome = keyof typeof TRIGGER_ENDINGS
export const TRIGGER_OUTCOMES = Object.keys(TRIGGER_ENDINGS) as TriggerOutcome[]

/** The given number with that ending, or a random one that hits no limit per number; null if the country has no known numbers. */
export function triggerNumber(
  outcome: TriggerOutcome,
  { given, country, draw }: { given: string | null; country: string; draw: (below: number) => number },
): string | null {
  const ending = TRIGGER_ENDINGS[outcome]
  if (given !== null) return given.slice(0, -ending.length) + ending
  return country === 'NP' ? `+977980${String(draw(100_000)).padStart(5, '0')}${ending}` : null
}

/** True if an OTP to this number can only go to the simulator: a test must never reach a real handset. */
export function isOnlySimulated(routes: readonly Route[], to: string, { simulatorId, home }: Home): boolean {
  const number = readPhoneNumber(to, home)
  if (!number.ok) return true // The send rejects the number later.
  const { country, e164 } = number
  const carriers = carriersFor(routes, findDestination(routes, { country, to: e164 }), { type: 'otp' })
  return carriers.length > 0 && carriers.every((id) => id === simulatorId)
}

interface Home {
  simulatorId: string | null
  /** The country of numbers without a plus. */
  home: string
}
