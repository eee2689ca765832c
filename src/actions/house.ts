// What every action works with: the database, and time, chance and keys as ports.
import type { Actor } from '../domain/actor.ts'
import type { Chance } from '../runtime/chance.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Keyring } from '../runtime/keyring.ts'
import type { Bell } from '../store/bell.ts'
import type { Db } from '../store/db.ts'

export interface House {
  readonly db: Db
  readonly bell: Bell
  readonly clock: Clock
  readonly chance: Chance
  readonly ids: Ids
  readonly keyring: Keyring
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
