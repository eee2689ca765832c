// What every action works with: the database, in pools by what they are for, and time, chance and keys as ports.
import type { Actor } from '../domain/people/actor.ts'
import type { Chance } from '../runtime/chance.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Keyring } from '../runtime/keyring.ts'
import type { Passwords } from '../runtime/passwords.ts'
import type { Db } from '../store/database/db.ts'
import type { Notifications } from '../store/database/notifications.ts'
import type { MessageFeed } from '../store/messages/message-feed.ts'

export interface Ports {
  /** For the roles, and for what is read beside them. */
  readonly db: Db
  /** For key look-ups and the request rate (D26). */
  readonly admissionDb: Db
  /** For the accept lanes: none of them waits long for a lock. */
  readonly acceptDb: Db
  /** For the log of requests, which may be lost: no commit waits for the disk. */
  readonly logDb: Db
  /** For people's questions, which may be large: owners have others than the operator, who is never kept waiting by them (D43). */
  readonly managementDb: (actor: Actor) => Db
  readonly notifications: Notifications
  /** For whoever watches messages as they change. */
  readonly messageFeed: MessageFeed
  readonly clock: Clock
  readonly chance: Chance
  readonly ids: Ids
  readonly keyring: Keyring
  readonly passwords: Passwords
  /** D32: the word in key prefixes and webhook headers. */
  readonly vendor: string
}

/** Who asks for a change, and from where: that is what the audit log keeps. */
export interface Caller {
  readonly actor: Actor
  readonly address: string | null
  readonly requestId: string | null
}

export const THE_SERVICE: Caller = { actor: { kind: 'service' }, address: null, requestId: null }
