// One call of the management API, with the types of its OpenAPI document.

import { type Answer, addressOf, type Input, type Loose } from './address.ts'
import { ApiError, isUnreachable, readApiError } from './api-error.ts'
import { CALLS, type Calls } from './calls.ts'
import { confirmIdentity, isMadeByDialog } from './confirm-identity.ts'
import { markReachable, markUnreachable } from './reachability.ts'
import { currentWorkspace } from './workspace.ts'

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
    const mustConfirm = error.code === 'sign_in_again' && !isMadeByDialog(name)
    if (mustConfirm && (await confirmIdentity())) return call(name, input, signal, headers)
    throw error
  }
  markReachable()
  if (response.status === 204) return null as Answer<Name>
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return (isJson ? await response.json() : await response.text()) as Answer<Name>
}
