// Somebody says who they are: heard at a pace that grows slower with what is wrong, and answered alike whether there is such a person.
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
import { type From, freshen, knownDevice, startSession, type Tickets } from './sessions.ts'

const WRONG = refuse('unauthorized', { error: 'The e-mail address or the password is wrong' })

interface Said {
  email: string
  password: string
  /** Of an app, or a recovery code; null where none was said yet. */
  code: string | null
}

export async function signIn(
  ports: Ports,
  { email, password, code, from }: Said & { from: From },
): Promise<Tickets | 'needs_code' | Refusal> {
  const person = await findPersonByEmail(ports.db, email)
  const heard = await verifyProof(ports, { email, person, from }, async () => {
    if (!(await hasPassword(ports, person, password)) || !person) return 'wrong'
    const isRight = await isCodeRight(ports, person.id, code)
    return isRight === false && code === null ? 'needs_code' : isRight === false ? 'wrong' : 'right'
  })
  if (heard !== 'right') return heard
  return ports.db.transaction(async (tx) => {
    const now = person && (await lockPerson(tx, person.id))
    // Whoever chose another password meanwhile has shut out who knew the old one.
    const isStillRight = now?.hasAccess && now.passwordHash === person?.passwordHash
    return isStillRight ? startSession(tx, { ports, person: now, from, how: 'password' }) : WRONG
  })
}

/** Confirms the identity of a person who is signed in, with everything that signing in asks for. */
export async function signInAgain(
  ports: Ports,
  caller: Caller,
  {
    session,
    password,
    code,
    from,
  }: { session: PersonSession; password: string | null; code: string | null; from: From },
): Promise<Date | Refusal> {
  const person = await findPerson(ports.db, session.personId)
  if (!person) return refuse('unauthorized')
  if (!person.passwordHash && (password !== null || !person.hasTotp)) return NO_PASSWORD
  if (person.passwordHash && password === null) return refuseField('password', 'Enter your password')
  if (person.hasTotp && code === null) return refuseField('code', 'Enter a code of your authenticator app')
  const heard = await verifyProof(ports, { email: person.email, person, from }, async () => {
    // The password first: a wrong one must not use up the code.
    if (password !== null && !(await hasPassword(ports, person, password))) return 'wrong'
    return (await isCodeRight(ports, person.id, code)) === false ? 'wrong' : 'right'
  })
  return heard instanceof Refusal ? heard : freshen(ports, caller, session)
}
const NO_PASSWORD = refuse('conflict', { error: 'You have no password yet; choose one first' })

/** Whether it is the password of this person, who belongs here: to find out takes as long for nobody. */
export async function hasPassword({ passwords }: Ports, person: Person | null, password: string): Promise<boolean> {
  return passwords.isRight(password, person?.hasAccess ? person.passwordHash : null)
}

type ProofResult = 'right' | 'needs_code'

/** What is said before it is time is not looked at, and does not count. */
export async function verifyProof<As extends ProofResult>(
  ports: Ports,
  { email, person, from }: { email: string; person: Person | null; from: From },
  judge: () => Promise<As | 'wrong'>,
): Promise<As | Refusal> {
  const network = throttleScope(from.address)
  const device = knownDevice(ports, from, person?.id ?? null)
  const place = nameOf('place', device ?? network)
  const about = [place, nameOf('person', email)]
  const early = await tooEarly(ports, about)
  if (early) return early
  const heard = await ports.passwords.inTurn(network, async () => {
    // Others may have been heard while it waited.
    const late = await tooEarly(ports, about)
    if (late) return late
    const judged = await judge()
    if (judged === 'wrong') return tellWrong(ports, { about, person })
    // Of a network nothing is forgotten: whoever has an account would start anew at those of others by signing in to it.
    if (judged === 'right' && device !== null) await clearFailedSignIns(ports.db, place)
    return judged
  })
  return heard ?? OVERLOADED
}

async function tooEarly({ db, clock }: Ports, about: Buffer[]): Promise<Refusal | null> {
  const now = clock.now()
  const [place = null, person = null] = await loadFailedSignIns(db, { about, since: rememberedSince(now) })
  const retryAfterSeconds = secondsToWait({ place, person }, now)
  if (retryAfterSeconds === 0) return null
  return refuse('rate_limited', {
    error: 'That was wrong too often; wait a little before you try again',
    retryAfterSeconds,
  })
}

async function tellWrong(
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

/** What was tried is kept as a hash: people mistype passwords into the wrong field. */
function nameOf(what: 'place' | 'person', which: string): Buffer {
  return digest('sha256', `${what}:${which}`, 'buffer')
}
