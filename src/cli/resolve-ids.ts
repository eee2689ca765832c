// Replaces names by ids: a unique name works like an id, and owners can leave out their workspace.
import { type Command, isNamedKind, type NamedKind, pathIds } from './command.ts'
import { UsageError } from './context.ts'
import { formatUsage } from './help.ts'
import type { ManagementApi } from './management-api.ts'
import { findNames } from './names.ts'
import { type Draft, get, type Request } from './request.ts'
import { ApiError } from './service.ts'

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Replaces each name in the request by its ID. */
export async function resolveIds(command: Command, { typed, ...draft }: Draft, api: ManagementApi): Promise<Request> {
  const ids = new Map<string, string>()
  for (const kind of pathIds(command)) {
    const word = typed.get(kind)
    ids.set(kind, word === undefined ? await ownWorkspace(command, api) : await resolveId(kind, word, { api, ids }))
  }
  const path = [...ids].reduce((text, [kind, id]) => text.replace(`{${kind}}`, encodeURIComponent(id)), draft.path)
  const values = draft.body ?? draft.query
  for (const { namedKind, at } of Object.values(command.options)) {
    if (namedKind && typeof values[at] === 'string') values[at] = await resolveId(namedKind, values[at], { api, ids })
  }
  return { ...draft, path }
}

/** `ids` are the IDs found so far: the name of a client or template must be unique in its workspace only. */
export async function resolveId(
  kind: string,
  word: string,
  { api, ids }: { api: ManagementApi; ids: ReadonlyMap<string, string> },
): Promise<string> {
  if (!isNamedKind(kind) || ID.test(word)) return word
  const workspace = kind === 'client' || kind === 'template' ? ids.get('workspace') : undefined
  const query = { kind, name: word, ...(workspace !== undefined && { workspace }) }
  const { items } = await api.requestList(get('/names', query))
  if (items.length === 1) return items[0].id
  throw items.length === 0 ? noneNamed(kind, word) : await severalNamed(kind, word, { items, api })
}

function noneNamed(kind: NamedKind, name: string): ApiError {
  const error = new ApiError(404, { error: `No ${kind} named '${name}'`, code: 'not_found' })
  const where = kind === 'client' || kind === 'template' ? ' <workspace>' : ''
  error.hints = [`'hulaki ${kind} list${where}' lists all.`]
  return error
}

/** Lists the candidates with the names of their workspaces. */
async function severalNamed(
  kind: NamedKind,
  name: string,
  { items, api }: { items: { id: string; workspaceId: string | null }[]; api: ManagementApi },
): Promise<ApiError> {
  const names = await findNames(api, kind === 'workspace' ? [] : items)
  const which = items.map(({ id, workspaceId }) =>
    workspaceId === null || workspaceId === id ? id : `${id} of workspace ${names.get(workspaceId) ?? workspaceId}`,
  )
  const error = `Several are named '${name}'. Use the ID of the ${kind}: ${which.join(', ')}`
  return new ApiError(409, { error, code: 'conflict' })
}

async function ownWorkspace(command: Command, api: ManagementApi): Promise<string> {
  const { workspace } = await api.request(get('/whoami'))
  if (!workspace) throw new UsageError(`Usage: ${formatUsage(command)}`)
  return workspace.id
}
