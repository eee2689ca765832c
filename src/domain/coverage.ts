// Where a workspace can send (§2.4).

/** Of the countries that are delivered to, those that are its own; null is all of them. */
export function sendableCountries(live: string[], own: string[] | null): string[] {
  return own === null ? live : live.filter((code) => own.includes(code))
}
