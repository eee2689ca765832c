// Passkeys of this browser. They need a host name: an IP address cannot have any.

export function hasPasskeys(): boolean {
  return (
    !isIpAddress(location.hostname) &&
    'PublicKeyCredential' in window &&
    'parseCreationOptionsFromJSON' in PublicKeyCredential
  )
}

export function isIpAddress(hostname: string): boolean {
  return hostname.includes(':') || !Number.isNaN(Number(hostname.replaceAll('.', '')))
}

type PasskeyResponse = { id: string; response: Record<string, unknown> }

export async function createPasskey(options: Record<string, unknown>): Promise<PasskeyResponse> {
  const json = options as unknown as PublicKeyCredentialCreationOptionsJSON
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(json)
  return toResponse(await navigator.credentials.create({ publicKey }))
}

export async function showPasskey(options: Record<string, unknown>): Promise<PasskeyResponse> {
  const json = options as unknown as PublicKeyCredentialRequestOptionsJSON
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(json)
  return toResponse(await navigator.credentials.get({ publicKey }))
}

function toResponse(credential: Credential | null): PasskeyResponse {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('no passkey was given')
  return credential.toJSON() as unknown as PasskeyResponse
}
