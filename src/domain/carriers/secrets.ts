// The secrets of a carrier, sealed together in one value.

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
