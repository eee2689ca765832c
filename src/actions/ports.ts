// The dependencies of every action: database pools, clock, random numbers, ids and keys.
import type { Actor } from '../domain/people/actor.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Keyring } from '../runtime/keyring.ts'
import type { Passwords } from '../runtime/passwords.ts'
import type { Random } from '../runtime/random.ts'
import type { Tracer } from '../runtime/tracer.ts'
import type { ChangeFeed } from '../store/change-feed.ts'
import type { Db } from '../store/database/db.ts'
import type { Notifications } from '../store/database/notifications.ts'

export interface Ports {
  /** For the roles and for other reads. */
  readonly db: Db
  /** For key lookups and rate limits (D26). */
  readonly admissionDb: Db
  /** For the accept lanes, with a short lock timeout. */
  readonly acceptDb: Db
  /** For the request log, with asynchronous commit. */
  readonly logDb: Db
  /** For the management API. Owners and the operator have separate pools, so that owners never delay the operator (D43). */
  readonly managementDb: (actor: Actor) => Db
  readonly notifications: Notifications
  /** For the live streams of consoles (D74). */
  readonly changeFeed: ChangeFeed
  readonly clock: Clock
  readonly random: Random
  readonly ids: Ids
  readonly keyring: Keyring
  readonly passwords: Passwords
  /** null: nothing is traced. */
  readonly tracer: Tracer | null
  /** D32: part of key prefixes and webhook headers. */
  readonly vendor: string
}

/** The origin of a change, for the audit log. */
export interface Caller {
  readonly actor: Actor
  readonly address: string | null
  readonly requestId: string | null
}

export const THE_SERVICE: Caller = { actor: { kind: 'service' }, address: null, requestId: null }
