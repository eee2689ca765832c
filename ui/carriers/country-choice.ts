// The countries of a route: those of the service, and all others.
import type { Country } from '../api/calls.ts'
import { words } from '../words/index.ts'
import { ALL_COUNTRIES } from './route-order.ts'

/** A route may name a country that the service does not have any more. */
export function countryChoices(countries: readonly Country[], current: string): (readonly [string, string])[] {
  const known = countries.map(({ code, name }) => [code, `${name} (${code})`] as const)
  const isKnown = current === ALL_COUNTRIES || known.some(([code]) => code === current)
  return [
    ...known,
    ...(isKnown ? [] : [[current, current] as const]),
    [ALL_COUNTRIES, words.carriers.allOtherCountries] as const,
  ]
}

export function placeName(code: string, countries: readonly Country[]): string {
  return countries.find((it) => it.code === code)?.name ?? code
}

/** A live country first: messages to others are rejected. */
export function firstCountry(countries: readonly Country[]): string {
  return (countries.find(({ state }) => state === 'live') ?? countries[0])?.code ?? ALL_COUNTRIES
}
