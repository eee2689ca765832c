// The filter of the message list, as the address holds it.
import type { Calls, Message } from '../api/calls.ts'

export const NO_FILTER = {
  workspace: '',
  status: [],
  type: '',
  client: '',
  country: '',
  carrier: '',
  search: '',
  from: '',
  to: '',
  live: 'on',
} as const

export interface Filter {
  /** Of the list over all workspaces. */
  workspace: string
  status: string[]
  type: string
  client: string
  country: string
  carrier: string
  search: string
  from: string
  to: string
}

type Query = NonNullable<Calls['listMessages']['query']>

export function queryOf(filter: Omit<Filter, 'workspace'>): Query {
  const { status, type, client, country, carrier, search, from, to } = filter
  return {
    status: status as Message['status'][],
    ...(type ? { type: type as Message['type'] } : {}),
    ...(client ? { client } : {}),
    ...(country ? { country } : {}),
    ...(carrier ? { carrier } : {}),
    ...(search ? { search } : {}),
    ...(from ? { 'from-date': from } : {}),
    ...(to ? { 'to-date': to } : {}),
  }
}

/** The list over all workspaces has days in the time zone of the screen: of the browser, or UTC. */
export function serviceQueryOf(filter: Filter, timeZone: string): NonNullable<Calls['listAllMessages']['query']> {
  const { workspace, from, to } = filter
  const dates = { from: dayAsTime(from, timeZone, 0), to: dayAsTime(to, timeZone, 1) }
  return { ...queryOf({ ...filter, ...dates }), ...(workspace ? { workspace } : {}) }
}

function dayAsTime(day: string, timeZone: string, daysLater: number): string {
  if (day === '' || day.includes('T')) return day
  const at = new Date(timeZone === 'UTC' ? `${day}T00:00Z` : `${day}T00:00`)
  if (Number.isNaN(at.getTime())) return day
  if (timeZone === 'UTC') at.setUTCDate(at.getUTCDate() + daysLater)
  else at.setDate(at.getDate() + daysLater)
  return at.toISOString()
}

export function isFiltered({ workspace, status, type, client, country, carrier, search, from, to }: Filter): boolean {
  return status.length > 0 || [workspace, type, client, country, carrier, search, from, to].some(Boolean)
}

/** Whether a new message belongs in the list. Only the service knows its country and carrier and can search, so these match none. */
export function isLike({ workspaceId, status, type, clientId }: Message, filter: Filter): boolean {
  if (filter.search || filter.country || filter.carrier || filter.to) return false
  return (
    (filter.workspace === '' || filter.workspace === workspaceId) &&
    (filter.status.length === 0 || filter.status.includes(status)) &&
    (filter.type === '' || filter.type === type) &&
    (filter.client === '' || filter.client === clientId)
  )
}
