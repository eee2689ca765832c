// One call of the management API, with the types of its OpenAPI document.

import { ApiError, isUnreachable, readApiError } from './api-error.ts'
import { CALLS, type Calls } from './calls.ts'
import { confirmIdentity } from './confirm-identity.ts'
import { markReachable, markUnreachable } from './reachability.ts'
import { currentWorkspace } from './workspace.ts'

export const ROOT = '/api/manage/v1'

type Given<Fields> = Record<never, never> extends Fields ? { [Key in keyof Fields]?: Fields[Key] } : Fields
type Part<Name extends string, Fields> = [keyof Fields] extends [never]
  ? { [Key in Name]?: undefined }
  : Partial<Fields> extends Fields
    ? { [Key in Name]?: Given<Fields> }
    : { [Key in Name]: Fields }
type BodyOf<Body> = Body extends undefined ? { body?: undefined } : { body: Body }

/** The input of a call: path parameters, query and body, each where the call has one. */
export type Input<Name extends keyof Calls> = Part<'params', Calls[Name]['params']> &
  Part<'query', Calls[Name]['query']> &
  BodyOf<Calls[Name]['body']>
export type Answer<Name extends keyof Calls> = Calls[Name]['answer']

interface Loose {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

/** The URL of a call on this server, for a link or a command line. */
export function addressOf<Name extends keyof Calls>(name: Name, input: Input<Name>): string {
  const { params = {}, query = {} } = input as Loose
  const path = CALLS[name][1].replaceAll(/\{(\w+)\}/g, (_, key) => encodeURIComponent(String(params[key])))
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== '') search.append(key, String(one))
    }
  }
  return `${ROOT}${path}${search.size > 0 ? `?${search}` : ''}`
}

export async function call<Name extends keyof Calls>(
  name: Name,
  input: Input<Name>,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Answer<Name>> {
  const [method] = CALLS[name]
  const workspace = currentWorkspace()
  const isChange = method !== 'GET'
  // A change always has a JSON body: with a cookie, the API accepts no other.
  const body = isChange ? JSON.stringify((input as Loose).body ?? {}) : undefined
  const request: RequestInit = {
    method,
    credentials: 'same-origin',
    headers: {
      ...(isChange ? { 'content-type': 'application/json' } : {}),
      ...(workspace ? { 'x-workspace': workspace } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
  }
  const response = await fetch(addressOf(name, input), request).catch((error) => {
    if (signal?.aborted) throw error
    markUnreachable()
    throw new ApiError({ status: 0, code: 'away', message: String(error) })
  })
  if (!response.ok) {
    const error = await readApiError(response)
    if (isUnreachable(error)) markUnreachable()
    else markReachable()
    if (error.code === 'sign_in_again' && (await confirmIdentity())) return call(name, input, signal, headers)
    throw error
  }
  markReachable()
  return (response.status === 204 ? null : await response.json()) as Answer<Name>
}

/** The same call as a command line. */
export function asCurl<Name extends keyof Calls>(name: Name, input: Input<Name>): string {
  const [method] = CALLS[name]
  const { body } = input as Loose
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const url = quoted(`${location.origin}${addressOf(name, input)}`)
  const parts = [`curl -s ${method === 'GET' ? '' : `-X ${method} `}${url}`, `-H "authorization: Bearer $HULAKI_TOKEN"`]
  if (body !== undefined) parts.push(`-H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`)
  return parts.join(' \\\n  ')
}
