// The secrets of a carrier, sealed together in one value (D50).

export const SECRET_NAME = /^[A-Za-z]\w{0,39}$/

/** By their names. */
export type HttpSecrets = Readonly<Record<string, string>>

export interface SmppSecrets {
  password: string
  /** The private key of the TLS certificate that we present. */
  tlsKey: string | null
}

export function packSecrets(secrets: HttpSecrets | SmppSecrets): string {
  return JSON.stringify(secrets)
}

export function parseHttpSecrets(text: string): HttpSecrets {
  return JSON.parse(text) as HttpSecrets
}

export function parseSmppSecrets(text: string): SmppSecrets {
  return JSON.parse(text) as SmppSecrets
}

/** Of those that were given; an address for receipts is among the secrets, and was not (D52). */
export function secretNamesOf(secrets: HttpSecrets): string[] {
  return Object.keys(secrets)
    .filter((name) => SECRET_NAME.test(name))
    .sort()
}

/** As they shall be: null takes one away, and what is not named stays. */
export function changedSecrets(before: HttpSecrets, change: Readonly<Record<string, string | null>>): HttpSecrets {
  const all = Object.entries({ ...before, ...change })
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null))
}
