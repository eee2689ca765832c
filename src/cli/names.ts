// Names of clients, workspaces and carriers for the ids of a response, for people at a terminal.
import type { AnyJson, Names } from './command.ts'
import type { ManagementApi } from './management-api.ts'
import { get } from './request.ts'
import { ApiError } from './service.ts'

/** The calls that return the object of an id, by the field of the id. */
const CALLS: Record<string, (id: string) => string> = {
  clientId: (id) => `/clients/${id}`,
  workspaceId: (id) => `/workspaces/${id}`,
  carrierId: (id) => `/carriers/${id}`,
}
/** Every name is a request. */
const MAX_NAMES = 20
const MAX_DEPTH = 4

/** An id without a readable name stays an id. */
export async function findNames(api: ManagementApi, answer: AnyJson): Promise<Names> {
  const names = new Map<string, string>()
  for (const [id, path] of [...pathsIn(answer)].slice(0, MAX_NAMES)) {
    try {
      const { name } = await api.request(get(path))
      if (typeof name === 'string') names.set(id, name)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }
  return names
}

function pathsIn(value: AnyJson, depth = 0, found = new Map<string, string>()): Map<string, string> {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return found
  for (const [field, inner] of Object.entries<AnyJson>(value)) {
    const call = CALLS[field]
    if (call && typeof inner === 'string') found.set(inner, call(encodeURIComponent(inner)))
    else pathsIn(inner, depth + 1, found)
  }
  return found
}
