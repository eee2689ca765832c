// What messages are narrowed by, as it stands in the address.
import type { Calls, Message } from '../api/calls.ts'

export const USUAL = { status: [], type: '', client: '', search: '', from: '', to: '', live: 'on' } as const

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

export function isNarrowed({ status, type, client, search, from, to }: Filter): boolean {
  return status.length > 0 || [type, client, search, from, to].some(Boolean)
}

/** Whether a message that has just come would be in the list. What only the service can tell is not counted. */
export function isLike({ status, type, clientId }: Message, filter: Filter): boolean {
  if (filter.search || filter.to) return false
  return (
    (filter.status.length === 0 || filter.status.includes(status)) &&
    (filter.type === '' || filter.type === type) &&
    (filter.client === '' || filter.client === clientId)
  )
}
