// The filter of the message list, as the address holds it.
import type { Calls, Message } from '../api/calls.ts'

export const NO_FILTER = { status: [], type: '', client: '', search: '', from: '', to: '', live: 'on' } as const

export interface Filter {
  status: string[]
  type: string
  client: string
  search: string
  from: string
  to: string
}

type Query = NonNullable<Calls['listMessages']['query']>

export function queryOf({ status, type, client, search, from, to }: Filter): Query {
  return {
    status: status as Message['status'][],
    ...(type ? { type: type as Message['type'] } : {}),
    ...(client ? { client } : {}),
    ...(search ? { search } : {}),
    ...(from ? { 'from-date': from } : {}),
    ...(to ? { 'to-date': to } : {}),
  }
}

export function isFiltered({ status, type, client, search, from, to }: Filter): boolean {
  return status.length > 0 || [type, client, search, from, to].some(Boolean)
}

/** Whether a new message belongs in the list. Only the service can search, so a search matches none. */
export function isLike({ status, type, clientId }: Message, filter: Filter): boolean {
  if (filter.search || filter.to) return false
  return (
    (filter.status.length === 0 || filter.status.includes(status)) &&
    (filter.type === '' || filter.type === type) &&
    (filter.client === '' || filter.client === clientId)
  )
}
