// Sign-in with a password. Wrong attempts slow it down, and the answer does not reveal whether the person exists.
import { hash as digest } from 'node:crypto'
import { throttleScope } from '../../domain/network.ts'
import { REMEMBERED_SECONDS, secondsToWait, startsSlowdown } from '../../domain/people/sign-in-pace.ts'
import { OVERLOADED, Refusal, refuse, refuseField } from '../../domain/refusals.ts'
import { clearFailedSignIns, loadFailedSignIns, recordFailedSignIns } from '../../store/people/failed-sign-ins.ts'
import { findPerson, findPersonByEmail, lockPerson, type Person } from '../../store/people/people.ts'
import type { PersonSession } from '../../store/people/sessions.ts'
import { type Caller, type Ports, THE_SERVICE } from '../ports.ts'
import { recordChange } from '../record-change.ts'
import { isCodeRight } from './second-factors.ts'
import { type IssuedSession, knownDevice, refreshSignIn, type SignInOrigin, startSession } from './sessions.ts'

const WRONG = refuse('unauthorized', { error: 'The e-mail address or the password is wrong' })

interface Credentials {
  email: string
  password: string
  /** TOTP or recovery code; null if not entered yet. */
  code: string | null
}

export async function signIn(
  ports: Ports,
  { email, password, code, from }: Credentials & { from: SignInOrigin },
): Promise<IssuedSession | 'needs_code' | Refusal> {
  const person = await findPersonByEmail(ports.db, email)
  const result = await verifyProof(ports, { email, person, from }, async () => {
    if (!(await hasPassword(ports, person, password)) || !person) return 'wrong'
    const isRight = await isCodeRight(ports, person.id, code)
    return isRight === false && code === null ? 'needs_code' : isRight === false ? 'wrong' : 'right'
  })
  if (result !== 'right') return result
  return ports.db.transaction(async (tx) => {
    const now = person && (await lockPerson(tx, person.id))
    // The password may have been changed meanwhile.
    const isStillRight = now?.hasAccess && now.passwordHash === person?.passwordHash
    return isStillRight ? startSession(tx, { ports, person: now, from, how: 'password' }) : WRONG
  })
}

/** Confirms the identity of a signed-in person with all factors of a sign-in. */
export async function signInAgain(
  ports: Ports,
  caller: Caller,
  {
    session,
    password,
    code,
    from,
  }: { session: PersonSession; password: string | null; code: string | null; from: SignInOrigin },
): Promise<Date | Refusal> {
  const person = await findPerson(ports.db, session.personId)
  if (!person) return refuse('unauthorized')
  if (!person.passwordHash && (password !== null || !person.hasTotp)) return NO_PASSWORD
  if (person.passwordHash && password === null) return refuseField('password', 'Enter your password')
  if (person.hasTotp && code === null) return refuseField('code', 'Enter a code from your authenticator app')
  const result = await verifyProof(ports, { email: person.email, person, from }, async () => {
    // The password first: a wrong one must not use up the code.
    if (password !== null && !(await hasPassword(ports, person, password))) return 'wrong'
    return (await isCodeRight(ports, person.id, code)) === false ? 'wrong' : 'right'
  })
  return result instanceof Refusal ? result : refreshSignIn(ports, caller, session)
}

const NO_PASSWORD = refuse('conflict', { error: 'You have no password yet; set one first' })

/** False for a person without any role. Takes the same time if there is no person. */
export async function hasPassword({ passwords }: Ports, person: Person | null, password: string): Promise<boolean> {
  return passwords.isRight(password, person?.hasAccess ? person.passwordHash : null)
}

type ProofResult = 'right' | 'needs_code'

/** Attempts during the waiting time are refused unchecked and do not count. */
export async function verifyProof<As extends ProofResult>(
  ports: Ports,
  { email, person, from }: { email: string; person: Person | null; from: SignInOrigin },
  judge: () => Promise<As | 'wrong'>,
): Promise<As | Refusal> {
  const network = throttleScope(from.address)
  const device = knownDevice(ports, from, person?.id ?? null)
  const place = nameOf('place', device ?? network)
  const about = [place, nameOf('person', email)]
  const early = await tooEarly(ports, about)
  if (early) return early
  const result = await ports.passwords.inTurn(network, async () => {
    // Other attempts may have failed while this one waited.
    const late = await tooEarly(ports, about)
    if (late) return late
    const judged = await judge()
    if (judged === 'wrong') return recordWrong(ports, { about, person })
    // Not for a network: signing in to an own account would reset the limit for attacks on others.
    if (judged === 'right' && device !== null) await clearFailedSignIns(ports.db, place)
    return judged
  })
  return result ?? OVERLOADED
}

async function tooEarly({ db, clock }: Ports, about: Buffer[]): Promise<Refusal | null> {
  const now = clock.now()
  const [place = null, person = null] = await loadFailedSignIns(db, { about, since: rememberedSince(now) })
  const retryAfterSeconds = secondsToWait({ place, person }, now)
  if (retryAfterSeconds === 0) return null
  return refuse('rate_limited', {
    error: 'Too many wrong attempts; wait before you try again',
    retryAfterSeconds,
  })
}

async function recordWrong(
  ports: Ports,
  { about, person }: { about: Buffer[]; person: Person | null },
): Promise<Refusal> {
  const now = ports.clock.now()
  const [, wrong] = await recordFailedSignIns(ports.db, { about, since: rememberedSince(now), now })
  if (person && wrong && startsSlowdown(wrong))
    await ports.db.transaction((tx) =>
      recordChange(tx, {
        ports,
        caller: THE_SERVICE,
        workspaceId: null,
        action: 'person.sign_in_rate_limited',
        subject: person.id,
        details: { wrong: wrong.times },
      }),
    )
  return WRONG
}

function rememberedSince(now: Date): Date {
  return new Date(now.getTime() - REMEMBERED_SECONDS * 1000)
}

/** Stored as a hash, because people type passwords into the wrong field. */
function nameOf(what: 'place' | 'person', which: string): Buffer {
  return digest('sha256', `${what}:${which}`, 'buffer')
}
