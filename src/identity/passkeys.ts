// Passkeys (WebAuthn): options for the browser, and verification of its responses. The library is loaded at the first use.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'

/** The address of the console in the browser. A passkey works only there. */
interface Site {
  origin: string
  host: string
}

interface Credential {
  id: Buffer
  publicKey: Buffer
  counter: number
  transports: string[]
}

const load = () => import('@simplewebauthn/server')

export async function askForNewPasskey(
  { host }: Site,
  {
    challenge,
    person,
    known,
  }: {
    challenge: Buffer
    person: { id: string; email: string; name: string }
    known: Pick<Credential, 'id' | 'transports'>[]
  },
): Promise<Record<string, unknown>> {
  const { generateRegistrationOptions } = await load()
  const options = await generateRegistrationOptions({
    rpName: 'Hulaki',
    rpID: host,
    userName: person.email,
    userDisplayName: person.name,
    userID: new Uint8Array(Buffer.from(person.id)),
    challenge: new Uint8Array(challenge),
    excludeCredentials: known.map(({ id, transports }) => ({ id: id.toString('base64url'), transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return { ...options }
}

/** Null if the response does not match the challenge. */
export async function readNewPasskey(
  { origin, host }: Site,
  { challenge, response }: { challenge: string; response: unknown },
): Promise<Credential | null> {
  const { verifyRegistrationResponse } = await load()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: host,
  }).catch(() => NOT_VERIFIED)
  if (!verified || !registrationInfo) return null
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  return {
    id: Buffer.from(id, 'base64url'),
    publicKey: Buffer.from(publicKey),
    counter,
    // Unverified input of the browser, only returned to the browser.
    transports: transports.map(String).slice(0, 10),
  }
}

export async function askForPasskey({ host }: Site, challenge: Buffer): Promise<Record<string, unknown>> {
  const { generateAuthenticationOptions } = await load()
  const options = { rpID: host, challenge: new Uint8Array(challenge), userVerification: 'required' } as const
  return { ...(await generateAuthenticationOptions(options)) }
}

/** Returns the authenticator's use counter, or null if the response does not match the challenge. */
export async function readPasskey(
  { origin, host }: Site,
  { challenge, response, credential }: { challenge: string; response: unknown; credential: Credential },
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await load()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: host,
    credential: {
      id: credential.id.toString('base64url'),
      publicKey: new Uint8Array(credential.publicKey),
      counter: credential.counter,
    },
  }).catch(() => NOT_VERIFIED)
  return verified && authenticationInfo ? authenticationInfo.newCounter : null
}

const NOT_VERIFIED = { verified: false, registrationInfo: undefined, authenticationInfo: undefined } as const
