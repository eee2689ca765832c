// Where a workspace and its keys can send (§2.4).
import { mayReach } from '../phone-number.ts'

/** Of the countries that are delivered to, those that are its own; null is all of them. */
export function sendableCountries(live: string[], own: string[] | null): string[] {
  return own === null ? live : live.filter((code) => own.includes(code))
}

/** D41: of the countries of its workspace, those that a key can send to under its prefixes. */
export function allowedCountries(ofWorkspace: string[], onlyPrefixes: readonly string[] | null): string[] {
  return onlyPrefixes === null ? ofWorkspace : ofWorkspace.filter((code) => mayReach(code, onlyPrefixes))
}
