// The connections of the service to its database: in pools by what they are for, so that nobody's work waits for another's, and how
// many there are at most over all processes.
import { ACCEPT_LANES } from '../actions/messages/accept-messages.ts'
import type { Ports } from '../actions/ports.ts'
import { onlyWorkspace } from '../domain/people/actor.ts'
import type { Db } from '../store/database/db.ts'
import { type Config, isShared } from './config.ts'

/** Of the process that plays all roles, or those that cannot be shared; and of each that shares the others. */
export const ROLES_CONNECTIONS = 20
export const WORKER_CONNECTIONS = 14

/** What is left in the buckets of the request rate, who is woken, and the log of requests, is worth no wait for the disk. */
const LIGHT = { connections: 1, synchronousCommit: false }
/** Lanes of texts and lanes of codes; whoever holds a workspace for longer than this, the others do not wait for it. */
const ACCEPTING = { connections: 2 * ACCEPT_LANES, lockMs: 250 }
const PEOPLE = { statementMs: 10_000, answerMs: 12_000 }
const OPERATORS = { connections: 2, ...PEOPLE }
const OWNERS = { connections: 4, ...PEOPLE }
/** To hear who rings for the roles it plays. */
const HEARING = 1

type Pools = Pick<Ports, 'db' | 'admissionDb' | 'acceptDb' | 'logDb' | 'managementDb'> & { notifyDb: Db }

/** A pool connects when it is first asked. `close` closes all but `db`, which was there before. */
export function openPools(db: Db): Pools & { close: () => Promise<void> } {
  const [notifyDb, admissionDb, logDb] = [db.openPool(LIGHT), db.openPool(LIGHT), db.openPool(LIGHT)]
  const acceptDb = db.openPool(ACCEPTING)
  const [operators, owners] = [db.openPool(OPERATORS), db.openPool(OWNERS)]
  const close = async () => {
    await Promise.all([notifyDb, admissionDb, logDb, acceptDb, operators, owners].map((pool) => pool.close()))
  }
  const managementDb: Ports['managementDb'] = (actor) => (onlyWorkspace(actor) === null ? operators : owners)
  return { db, notifyDb, admissionDb, logDb, acceptDb, managementDb, close }
}

export function connectionsOf({ processes, roles }: Pick<Config, 'processes' | 'roles'>): number {
  const serving = [OPERATORS, OWNERS, LIGHT, LIGHT, ACCEPTING].reduce((sum, { connections }) => sum + connections, 0)
  const people = roles.includes('api') ? serving : 0
  const own = ROLES_CONNECTIONS + LIGHT.connections + HEARING
  if (processes === 1 || !roles.some(isShared)) return own + people
  return own + processes * (WORKER_CONNECTIONS + LIGHT.connections + HEARING + people)
}
