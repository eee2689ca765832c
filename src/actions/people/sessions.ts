// Sessions begin, are recognised, and end.
import { hash as digest } from 'node:crypto'
import { actorOf, type Manager } from '../../domain/people/actor.ts'
import { isActivityDue, MAX_SESSIONS, sessionEnd } from '../../domain/people/session.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import { formatSessionToken, hashApiKey, SIGN_IN_BYTES } from '../../domain/workspaces/api-key.ts'
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

/** Where somebody signs in from. */
export interface From {
  address: string
  requestId: string
  userAgent: string | null
  /** What a browser has from an earlier time that somebody signed in there. */
  device: string | null
}

/** What the browser is given to keep. */
export interface Tickets {
  personId: string
  token: string
  device: string
  endsAt: Date
}

/** The session as it is now: one that ended is not found, on any process, from the next request on. */
export async function recogniseSession(
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
  { ports, person, from, how }: { ports: Ports; person: Pick<Person, 'id' | 'isOperator'>; from: From; how: string },
): Promise<Tickets> {
  const now = ports.clock.now()
  const token = formatSessionToken(ports.chance.bytes(SIGN_IN_BYTES))
  const times = { createdAt: now, signedInAt: now, lastSeenAt: now }
  const session: PersonSession = {
    id: ports.ids.next(),
    personId: person.id,
    ...times,
    endsAt: sessionEnd(times),
    address: from.address,
    userAgent: from.userAgent,
  }
  await insertSession(tx, { ...session, hash: hashApiKey(token) })
  await trimSessions(tx, { personId: person.id, most: MAX_SESSIONS })
  const caller = await callerAs(tx, person, from)
  if (!caller) throw new Error('somebody signs in who belongs nowhere')
  const details = { how, userAgent: from.userAgent }
  await recordChange(tx, { ports, caller, workspaceId: null, action: 'session.started', subject: person.id, details })
  return { personId: person.id, token, device: newDevice(ports, person.id), endsAt: session.endsAt }
}

/** As whom a person is told of in the audit log; null for who belongs nowhere. */
export async function callerAs(
  db: Queries,
  { id: personId, isOperator }: Pick<Person, 'id' | 'isOperator'>,
  { address, requestId }: Pick<From, 'address' | 'requestId'>,
): Promise<(Caller & { actor: Manager }) | null> {
  const [home = null] = await listMemberships(db, personId)
  const actor = actorOf({ personId, isOperator, asked: null, home })
  return actor && { actor, address, requestId }
}

/** Signs out: this session, or another of the same person. */
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

/** Whoever it is has just shown it. */
export function freshen(ports: Ports, caller: Caller, session: PersonSession): Promise<Date | Refusal> {
  const now = ports.clock.now()
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const endsAt = sessionEnd({ ...session, lastSeenAt: now })
    if (!(await refreshSession(tx, { id: session.id, now, endsAt }))) return refuse('unauthorized')
    const subject = session.personId
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'session.refreshed', subject })
    return now
  })
}

/** A browser in which somebody signed in, as a word that only we can write: it waits for nobody who tries passwords elsewhere. */
function newDevice(ports: Ports, personId: string): string {
  const nonce = ports.chance.bytes(16).toString('hex')
  return `${personId}.${nonce}.${deviceMark(ports, personId, nonce)}`
}

/** The name of the browser where it is one that this person signed in with before. */
export function knownDevice(ports: Ports, { device }: From, personId: string | null): string | null {
  const [ofPerson = '', nonce = '', mark = ''] = device?.split('.') ?? []
  const isReal = ofPerson === personId && mark === deviceMark(ports, ofPerson, nonce)
  return isReal ? nonce : null
}

function deviceMark({ keyring }: Ports, personId: string, nonce: string): string {
  return digest('sha256', keyring.hash('codes', ['device', personId, nonce]), 'hex')
}
