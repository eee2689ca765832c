// The secrets of a carrier, by their names: sealed together in one value.

export type Secrets = Readonly<Record<string, string>>

/** Of a carrier over SMPP. */
export interface SmppSecrets {
  password: string
  /** The private key of the TLS certificate that we present. */
  tlsKey: string | null
}

export function packSecrets(secrets: Secrets | SmppSecrets): string {
  return JSON.stringify(secrets)
}

export function unpackSecrets<Kind extends Secrets | SmppSecrets>(text: string): Kind {
  return JSON.parse(text) as Kind
}
