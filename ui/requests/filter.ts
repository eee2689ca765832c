// The filter of the API log, as the address holds it.
import type { Calls } from '../api/calls.ts'

export const NO_FILTER = { request: '', outcome: '', code: '', client: '', from: '', to: '' }

export type Filter = typeof NO_FILTER

export const OUTCOMES = ['successful', 'refused'] as const

export function queryOf({ request, outcome, code, client, from, to }: Filter) {
  const chosen = OUTCOMES.find((it) => it === outcome)
  const query: Calls['listWorkspaceRequests']['query'] = {
    ...(isWholeId(request) && { 'request-id': request.trim() }),
    ...(chosen && { outcome: chosen }),
    ...(code && { code }),
    ...(client && { client }),
    ...(from && { 'from-date': from }),
    ...(to && { 'to-date': to }),
  }
  return query
}

export function isFiltered(filter: Filter): boolean {
  return Object.values(filter).some(Boolean)
}

/** The service searches by whole ID only. */
export function isWholeId(request: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(request.trim())
}
