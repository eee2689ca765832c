// The secrets of a carrier, encrypted together as one value (D50).

export const SECRET_NAME = /^[A-Za-z]\w{0,39}$/

/** By name. */
export type HttpSecrets = Readonly<Record<string, string>>

export interface SmppSecrets {
  password: string
  /** The private key of the client certificate. */
  tlsKey: string | null
}

export function serializeSecrets(secrets: HttpSecrets | SmppSecrets): string {
  return JSON.stringify(secrets)
}

export function parseHttpSecrets(text: string): HttpSecrets {
  return JSON.parse(text) as HttpSecrets
}

export function parseSmppSecrets(text: string): SmppSecrets {
  return JSON.parse(text) as SmppSecrets
}

/** The names that the operator gave; the callback token is also a secret, but not one of these (D52). */
export function secretNamesOf(secrets: HttpSecrets): string[] {
  return Object.keys(secrets)
    .filter((name) => SECRET_NAME.test(name))
    .sort()
}

/** null removes a secret; secrets that are not named stay. */
export function applySecretChanges(before: HttpSecrets, change: Readonly<Record<string, string | null>>): HttpSecrets {
  const all = Object.entries({ ...before, ...change })
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null))
}
