// Passkeys (WebAuthn): what a browser is asked, and whether what it says is right. The library is loaded when somebody uses one.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'

/** Where the console is, as the browser sees it: a passkey is good there and nowhere else. */
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

/** Null where it is not what was asked for. */
export async function readNewPasskey(
  { origin, host }: Site,
  { challenge, response }: { challenge: string; response: unknown },
): Promise<Credential | null> {
  const { verifyRegistrationResponse } = await load()
  const said = { response: response as RegistrationResponseJSON, expectedChallenge: challenge }
  const site = { expectedOrigin: origin, expectedRPID: host }
  const { verified, registrationInfo } = await verifyRegistrationResponse({ ...said, ...site }).catch(() => NOT_RIGHT)
  if (!verified || !registrationInfo) return null
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  return {
    id: Buffer.from(id, 'base64url'),
    publicKey: Buffer.from(publicKey),
    counter,
    // Said by a browser, and only given back to it.
    transports: transports.map(String).slice(0, 10),
  }
}

export async function askForPasskey({ host }: Site, challenge: Buffer): Promise<Record<string, unknown>> {
  const { generateAuthenticationOptions } = await load()
  const asked = { rpID: host, challenge: new Uint8Array(challenge), userVerification: 'required' } as const
  return { ...(await generateAuthenticationOptions(asked)) }
}

/** How often it was used, as it says itself; null where it is not what was asked for. */
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
  }).catch(() => NOT_RIGHT)
  return verified && authenticationInfo ? authenticationInfo.newCounter : null
}

const NOT_RIGHT = { verified: false, registrationInfo: undefined, authenticationInfo: undefined } as const
