// Passkeys of this browser, where it has them and the page has a name: an address of numbers cannot have any.

export function hasPasskeys(): boolean {
  const { hostname } = location
  const isNamed = Number.isNaN(Number(hostname.replaceAll('.', ''))) && !hostname.includes(':')
  return isNamed && 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential
}

type Made = { id: string; response: Record<string, unknown> }

export async function makePasskey(options: Record<string, unknown>): Promise<Made> {
  const asked = options as unknown as PublicKeyCredentialCreationOptionsJSON
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asked)
  return written(await navigator.credentials.create({ publicKey }))
}

export async function showPasskey(options: Record<string, unknown>): Promise<Made> {
  const asked = options as unknown as PublicKeyCredentialRequestOptionsJSON
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asked)
  return written(await navigator.credentials.get({ publicKey }))
}

function written(credential: Credential | null): Made {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('no passkey was given')
  return credential.toJSON() as unknown as Made
}
