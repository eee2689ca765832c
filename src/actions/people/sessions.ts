// Starts, authenticates and ends sessions.
import { hash as digest } from 'node:crypto'
import { actorOf, type Manager } from '../../domain/people/actor.ts'
import { isActivityDue, MAX_SESSIONS, sessionEnd } from '../../domain/people/session.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import { formatSessionToken, hashSecret, SIGN_IN_BYTES } from '../../domain/workspaces/api-key.ts'
import type { Queries, Tx } from '../../store/database/db.ts'
import { listMemberships, type Person } from '../../store/people/people.ts'
import {
  deleteSession,
  deleteSessions,
  findSessionByHash,
  insertSession,
  type KnownSession,
  type PersonSession,
  refreshSession,
  touchSession,
  trimSessions,
} from '../../store/people/sessions.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

/** Where a person signs in from. */
export interface SignInOrigin {
  address: string
  requestId: string
  userAgent: string | null
  /** The device cookie of an earlier sign-in. */
  device: string | null
}

/** Stored in cookies of the browser. */
export interface IssuedSession {
  personId: string
  token: string
  device: string
  endsAt: Date
}

/** Reads the database on every request, so an ended session stops working at once in every process. */
export async function authenticateSession(
  ports: Ports,
  { hash, workspaceId }: { hash: string; workspaceId: string | null },
): Promise<KnownSession | null> {
  const now = ports.clock.now()
  const session = await findSessionByHash(ports.db, { hash, workspaceId, now })
  if (!session || !isActivityDue(session.lastSeenAt, now)) return session
  const seen = { ...session, lastSeenAt: now }
  const endsAt = sessionEnd(seen)
  await touchSession(ports.db, { id: session.id, lastSeenAt: now, endsAt })
  return { ...seen, endsAt }
}

export async function startSession(
  tx: Tx,
  {
    ports,
    person,
    from,
    how,
  }: { ports: Ports; person: Pick<Person, 'id' | 'isOperator'>; from: SignInOrigin; how: string },
): Promise<IssuedSession> {
  const now = ports.clock.now()
  const token = formatSessionToken(ports.random.bytes(SIGN_IN_BYTES))
  const times = { createdAt: now, signedInAt: now, lastSeenAt: now }
  const session: PersonSession = {
    id: ports.ids.next(),
    personId: person.id,
    ...times,
    endsAt: sessionEnd(times),
    address: from.address,
    userAgent: from.userAgent,
  }
  await insertSession(tx, { ...session, hash: hashSecret(token) })
  await trimSessions(tx, { personId: person.id, most: MAX_SESSIONS })
  const caller = await callerAs(tx, person, from)
  if (!caller) throw new Error('a person without any role signs in')
  const details = { how, userAgent: from.userAgent }
  await recordChange(tx, { ports, caller, workspaceId: null, action: 'session.started', subject: person.id, details })
  return { personId: person.id, token, device: newDevice(ports, person.id), endsAt: session.endsAt }
}

/** The person as the actor of audit entries; null without any role. */
export async function callerAs(
  db: Queries,
  { id: personId, isOperator }: Pick<Person, 'id' | 'isOperator'>,
  { address, requestId }: Pick<SignInOrigin, 'address' | 'requestId'>,
): Promise<(Caller & { actor: Manager }) | null> {
  const [home = null] = await listMemberships(db, personId)
  const actor = actorOf({ personId, isOperator, requested: null, home })
  return actor && { actor, address, requestId }
}

/** Ends this session or another of the same person. */
export function endSession(
  ports: Ports,
  caller: Caller,
  { id, personId }: { id: string; personId: string },
): Promise<Refusal | null> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    if (!(await deleteSession(tx, { id, personId }))) return refuse('not_found')
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'session.ended', subject: personId })
    return null
  })
}

export function endOtherSessions(
  ports: Ports,
  caller: Caller,
  { id, personId }: { id: string; personId: string },
): Promise<number> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const ended = await deleteSessions(tx, { personId, except: id })
    const details = { sessions: ended }
    if (ended > 0)
      await recordChange(tx, {
        ports,
        caller,
        workspaceId: null,
        action: 'session.others_ended',
        subject: personId,
        details,
      })
    return ended
  })
}

/** Called after the person confirmed their identity. */
export function refreshSignIn(ports: Ports, caller: Caller, session: PersonSession): Promise<Date | Refusal> {
  const now = ports.clock.now()
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const endsAt = sessionEnd({ ...session, lastSeenAt: now })
    if (!(await refreshSession(tx, { id: session.id, now, endsAt }))) return refuse('unauthorized')
    const subject = session.personId
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'session.refreshed', subject })
    return now
  })
}

/** Signed device cookie. A known device is not slowed down by wrong passwords from other places. */
function newDevice(ports: Ports, personId: string): string {
  const nonce = ports.random.bytes(16).toString('hex')
  return `${personId}.${nonce}.${deviceMark(ports, personId, nonce)}`
}

/** The id of a device that this person signed in with before, or null. */
export function knownDevice(ports: Ports, { device }: SignInOrigin, personId: string | null): string | null {
  const [ofPerson = '', nonce = '', mark = ''] = device?.split('.') ?? []
  const isReal = ofPerson === personId && mark === deviceMark(ports, ofPerson, nonce)
  return isReal ? nonce : null
}

function deviceMark({ keyring }: Ports, personId: string, nonce: string): string {
  return digest('sha256', keyring.hash('codes', ['device', personId, nonce]), 'hex')
}
