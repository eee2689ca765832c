// How many connections to the database a service holds at once, over all of its processes, when it is busy.
import type { Config } from './config.ts'

/** Of the process that plays the roles, and of one that serves the API beside it. */
export const ROLES_CONNECTIONS = 20
export const API_CONNECTIONS = 10

/** People's questions to the management API: the operator's, and those of all owners. */
export const OPERATORS_CONNECTIONS = 2
export const OWNERS_CONNECTIONS = 4
/** At the door of the v1 API, which looks up keys and rates. */
const DOOR_CONNECTIONS = 1
/** Of the accept lanes, which do not wait long for a lock. */
const ACCEPT_CONNECTIONS = 4
/** To ring for other processes; and in the one that plays the roles, to hear them. */
const RINGING = 1
const HEARING = 1

export function connectionsOf({ processes, roles }: Pick<Config, 'processes' | 'roles'>): number {
  const serving = OPERATORS_CONNECTIONS + OWNERS_CONNECTIONS + DOOR_CONNECTIONS + ACCEPT_CONNECTIONS
  const own = ROLES_CONNECTIONS + RINGING + HEARING
  if (!roles.includes('api')) return own
  return processes === 1 ? own + serving : own + processes * (API_CONNECTIONS + RINGING + serving)
}
