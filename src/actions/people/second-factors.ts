// Second factors of people: TOTP with recovery codes, and passkeys.
import { throttleScope } from '../../domain/network.ts'
import {
  base32,
  findTotpStep,
  formatRecoveryCode,
  hashRecoveryCode,
  RECOVERY_CODE_BYTES,
  RECOVERY_CODES,
  TOTP_SECRET_BYTES,
  totpUri,
} from '../../domain/people/totp.ts'
import { type Refusal, refuse, refuseField } from '../../domain/refusals.ts'
import { lockPerson } from '../../store/people/people.ts'
import {
  type Challenge,
  confirmTotp,
  consumeChallenge,
  consumeRecoveryCode,
  consumeTotpStep,
  deletePasskey,
  findTotp,
  insertChallenge,
  insertPasskey,
  listPasskeys,
  type Passkey,
  replaceRecoveryCodes,
  setTotp,
} from '../../store/people/second-factors.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

export const MAX_PASSKEYS = 20
const MAX_CHALLENGES = 10_000
/** Per network or person. A new challenge evicts the oldest of the same place. */
const MAX_CHALLENGES_PER_REQUESTER = 100
const CHALLENGE_MINUTES = 5
const CHALLENGE_BYTES = 32

export function totpContext(personId: string): string {
  return `totp:${personId}`
}

/** The secret is shown once and becomes active with the first valid code. */
export function startTotp(
  ports: Ports,
  caller: Caller,
  personId: string,
): Promise<{ secret: string; uri: string } | Refusal> {
  const secret = ports.random.bytes(TOTP_SECRET_BYTES)
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    if (!person) return refuse('not_found')
    if ((await findTotp(tx, personId))?.confirmedAt)
      return refuse('conflict', { error: 'An authenticator app is already set up' })
    // As hexadecimal text, because the keyring seals text.
    const sealed = ports.keyring.seal('secrets', totpContext(personId), secret.toString('hex'))
    await setTotp(tx, { personId, sealed })
    return { secret: base32(secret), uri: totpUri(secret, person.email) }
  })
}

/** Returns the recovery codes, which are shown once. */
export function finishTotp(
  ports: Ports,
  caller: Caller,
  { personId, code }: { personId: string; code: string },
): Promise<string[] | Refusal> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    formatRecoveryCode(ports.random.bytes(RECOVERY_CODE_BYTES)),
  )
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    await lockPerson(tx, personId)
    const totp = await findTotp(tx, personId)
    if (!totp || totp.confirmedAt) return refuse('conflict', { error: 'No authenticator app is being set up' })
    const secret = openTotp(ports, personId, totp.sealed)
    const step = findTotpStep(code, { secret, after: totp.step, now: ports.clock.now() })
    if (step === null) return refuseField('code', 'Wrong code')
    await consumeTotpStep(tx, { personId, step })
    await confirmTotp(tx, { personId, now: ports.clock.now() })
    await replaceRecoveryCodes(tx, { personId, hashes: codes.map(hashRecoveryCode) })
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'person.totp_added', subject: personId })
    return codes
  })
}

export function removeTotp(ports: Ports, caller: Caller, personId: string): Promise<void> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    await lockPerson(tx, personId)
    if (!(await findTotp(tx, personId))) return
    await setTotp(tx, { personId, sealed: null })
    await replaceRecoveryCodes(tx, { personId, hashes: [] })
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'person.totp_removed', subject: personId })
  })
}

/** Null if the person has no TOTP. A TOTP or recovery code works once. */
export async function isCodeRight(ports: Ports, personId: string, code: string | null): Promise<boolean | null> {
  const totp = await findTotp(ports.db, personId)
  if (!totp?.confirmedAt) return null
  if (code === null) return false
  const secret = openTotp(ports, personId, totp.sealed)
  const step = findTotpStep(code.replaceAll(' ', ''), { secret, after: totp.step, now: ports.clock.now() })
  if (step !== null) return consumeTotpStep(ports.db, { personId, step })
  return consumeRecoveryCode(ports.db, { personId, hash: hashRecoveryCode(code) })
}

function openTotp({ keyring }: Ports, personId: string, sealed: Buffer): Buffer {
  return Buffer.from(keyring.open('secrets', totpContext(personId), sealed), 'hex')
}

/** Creates a challenge for a passkey in the browser. */
export async function createChallenge(
  ports: Ports,
  { kind, personId, address }: Pick<Challenge, 'kind' | 'personId'> & { address: string },
): Promise<{ id: string; challenge: Buffer }> {
  const challenge = ports.random.bytes(CHALLENGE_BYTES)
  const details = { challenge: challenge.toString('base64url') }
  const place = personId ?? throttleScope(address)
  const id = await keepChallenge(ports, { kind, personId, details, place })
  return { id, challenge }
}

/** Creates the state for a sign-in with a provider. */
export async function createProviderChallenge(ports: Ports, address: string) {
  const draw = () => ports.random.bytes(CHALLENGE_BYTES).toString('base64url')
  const details = { verifier: draw(), state: draw(), nonce: draw() }
  const id = await keepChallenge(ports, { kind: 'oidc', personId: null, details, place: throttleScope(address) })
  return { id, details }
}

async function keepChallenge(
  ports: Ports,
  challenge: Pick<Challenge, 'kind' | 'personId' | 'details'> & { place: string },
): Promise<string> {
  const id = ports.ids.next()
  const expiresAt = new Date(ports.clock.now().getTime() + CHALLENGE_MINUTES * 60_000)
  await insertChallenge(ports.db, {
    id,
    ...challenge,
    expiresAt,
    most: MAX_CHALLENGES,
    maxPerRequester: MAX_CHALLENGES_PER_REQUESTER,
  })
  return id
}

export function answerChallenge(
  { db, clock }: Ports,
  { id, kind }: Pick<Challenge, 'id' | 'kind'>,
): Promise<Challenge | null> {
  return consumeChallenge(db, { id, kind, now: clock.now() })
}

export function keepPasskey(
  ports: Ports,
  caller: Caller,
  passkey: Pick<Passkey, 'personId' | 'name' | 'credentialId' | 'publicKey' | 'counter' | 'transports'>,
): Promise<string | Refusal> {
  const { personId, name } = passkey
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    await lockPerson(tx, personId)
    if ((await listPasskeys(tx, personId)).length >= MAX_PASSKEYS)
      return refuse('conflict', { error: `You have ${MAX_PASSKEYS} passkeys; remove one first` })
    const id = ports.ids.next()
    if (!(await insertPasskey(tx, { ...passkey, id, createdAt: ports.clock.now() })))
      return refuse('conflict', { error: 'This passkey is already registered' })
    const change = { action: 'person.passkey_added', subject: personId, details: { name } }
    await recordChange(tx, { ports, caller, workspaceId: null, ...change })
    return id
  })
}

export function removePasskey(
  ports: Ports,
  caller: Caller,
  { id, personId }: { id: string; personId: string },
): Promise<Refusal | null> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    if (!(await deletePasskey(tx, { id, personId }))) return refuse('not_found')
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'person.passkey_removed', subject: personId })
    return null
  })
}
