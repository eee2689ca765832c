// What the database commands get from the entry.
import type { Clock } from '../../runtime/clock.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Random } from '../../runtime/random.ts'

export interface CommandPorts {
  /** The environment and .env. */
  settings: NodeJS.Dict<string>
  /** The folder that relative paths of settings start at. */
  folder: string
  clock: Clock
  random: Random
  ids: Ids
  /** Ctrl-C or SIGTERM. */
  signal: AbortSignal
}
