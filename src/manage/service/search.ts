// The search of the console: one bounded call for records by name, by id and by number.
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { recordNumberSearch } from '../../actions/messages/reveal-message.ts'
import type { Ports } from '../../actions/ports.ts'
import { MAX_SEARCH_LENGTH } from '../../domain/messages/message-search.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { canRevealNumbers } from '../../domain/people/masking.ts'
import { PHONE_NUMBER_PATTERN, readPhoneNumber } from '../../domain/phone-number.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listCountries } from '../../store/carriers/countries.ts'
import type { Db } from '../../store/database/db.ts'
import { findListedMessage, type ListedMessage, listMessagesById } from '../../store/messages/messages.ts'
import { listMemberships } from '../../store/people/people.ts'
import { findById, findByWord, findMessagesTo } from '../../store/service/search.ts'
import { findDelivery } from '../../store/webhooks/webhook-deliveries.ts'
import { type LoggedRequest, listRequests } from '../../store/workspaces/request-log.ts'
import { findWorkspace, loadWorkspaceLabels } from '../../store/workspaces/workspaces.ts'
import { callerOf, dbOf, headerWorkspace } from '../authenticate.ts'
import { CALLERS, endpointsOf } from '../endpoint.ts'
import { line, wholeListOf } from '../fields.ts'
import { messageView } from '../messages/message-view.ts'

const KINDS = ['message', 'delivery', 'request', 'client', 'template', 'workspace', 'carrier'] as const
const MAX_PER_KIND = 5

const query = z.object({
  q: line(MAX_SEARCH_LENGTH).describe('A whole number, a whole id, or the beginning of a word of a name.'),
})

const foundAnswer = z
  .object({
    kind: z.enum(KINDS),
    id: z.uuid(),
    name: z.string().describe('Name; number of a message, event of a delivery, method and route of a request.'),
    status: z.string().nullable().describe('Status of a message or a delivery, error code of a refused request.'),
    workspace: z.object({ id: z.uuid(), name: z.string() }).nullable().describe('null for a carrier.'),
    at: time.nullable(),
  })
  .meta({ title: 'Found' })

type Found = Omit<z.input<typeof foundAnswer>, 'workspace'> & { workspaceId: string | null }

const searching = endpointsOf('Caller')(CALLERS, {
  operationId: 'search',
  summary: 'Search records',
  description: `Finds messages by number, messages, webhook deliveries and requests by id, and clients, templates, workspaces and carriers by name or id: up to ${MAX_PER_KIND} of each kind. Members search their workspace, operators all. A viewer does not search by number.`,
  querystring: query,
  response: { 200: wholeListOf(foundAnswer) },
})

export function mountSearch(app: TypedServer, ports: Ports): void {
  app.get('/search', searching, async (request) => {
    const db = dbOf(ports, request)
    const text = request.query.q.trim()
    const id = z.uuid().safeParse(text).data?.toLowerCase()
    const found = id === undefined ? await searchText(ports, request, text) : await searchIds(ports, request, id)
    const labels = await loadWorkspaceLabels(
      db,
      found.flatMap((it) => it.workspaceId ?? []),
    )
    const workspaceOf = (of: string | null) => (of === null ? null : { id: of, name: labels.get(of)?.name ?? '' })
    return {
      items: found.map(({ workspaceId, ...it }) => ({ ...it, workspace: workspaceOf(workspaceId) })),
      next: null,
    }
  })
}

/** The kinds of records with a name that the caller may list. */
function namedKinds({ kind }: { kind: string }) {
  const ofWorkspace = ['client', 'template'] as const
  return kind === 'operator' ? ([...ofWorkspace, 'workspace', 'carrier'] as const) : ofWorkspace
}

async function searchIds(ports: Ports, request: FastifyRequest, id: string): Promise<Found[]> {
  const { actor } = callerOf(request)
  const db = dbOf(ports, request)
  const within = onlyWorkspace(actor)
  const [message, delivery, requests, ...named] = await Promise.all([
    findListedMessage(db, { id, within }),
    // A viewer does not open deliveries.
    actor.kind === 'viewer' ? null : findDelivery(db, { id, within }),
    findRequests(db, { id, within }),
    ...namedKinds(actor).map(async (kind) =>
      (await findById(db, { kind, id, within })).map((it) => ({ kind, ...it, status: null, at: null })),
    ),
  ])
  return [
    ...(message ? [messageFound(message, request)] : []),
    ...(delivery ? [deliveryFound(delivery)] : []),
    ...requests.rows.map(requestFound),
    ...named.flat(),
  ]
}

function findRequests(db: Db, { id, within }: { id: string; within: string | null }) {
  const any = { clientId: null, outcome: 'all', code: null, since: null, until: null, before: null } as const
  return listRequests(db, { ...any, workspaceId: within, requestId: id, limit: 1 })
}

async function searchText(ports: Ports, request: FastifyRequest, text: string): Promise<Found[]> {
  if (text === '') return []
  const { actor } = callerOf(request)
  const db = dbOf(ports, request)
  const within = onlyWorkspace(actor)
  const limit = MAX_PER_KIND
  const [messages, workspaces, ...named] = await Promise.all([
    canRevealNumbers(actor) ? searchNumber(ports, request, text) : [],
    request.session && within !== null ? ownWorkspaces(db, { personId: request.session.personId, text }) : [],
    ...namedKinds(actor).map(async (kind) =>
      (await findByWord(db, { kind, text, within, limit })).map((it) => ({ kind, ...it, status: null, at: null })),
    ),
  ])
  return [...messages, ...named.flat(), ...workspaces]
}

/** A search by number is recorded like that of the list of messages (D68), in each workspace that it finds messages of. */
async function searchNumber(ports: Ports, request: FastifyRequest, text: string): Promise<Found[]> {
  const caller = callerOf(request)
  const db = dbOf(ports, request)
  const written = text.replaceAll(/[\s()-]/g, '')
  if (!PHONE_NUMBER_PATTERN.test(written)) return []
  const within = onlyWorkspace(caller.actor)
  const number = await readNumber(db, { written, workspaceId: within ?? headerWorkspace(request) ?? null })
  if (number === null) return []
  const ids = await findMessagesTo(db, { number, within, limit: MAX_PER_KIND })
  const messages = (await listMessagesById(db, ids)).toSorted((one, other) => (one.id < other.id ? 1 : -1))
  const searched = within === null ? [...new Set(messages.map((it) => it.workspaceId))] : [within]
  for (const workspaceId of searched) await recordNumberSearch(ports, caller, { workspaceId, to: number, search: null })
  return messages.map((it) => messageFound(it, request))
}

/** Without a plus, in the format of the workspace's country, or of the first live country that has the number. */
async function readNumber(
  db: Db,
  { written, workspaceId }: { written: string; workspaceId: string | null },
): Promise<string | null> {
  const known = z.uuid().safeParse(workspaceId).data
  const workspace = known === undefined ? null : await findWorkspace(db, { id: known, within: null })
  const countries = workspace
    ? [workspace.country]
    : (await listCountries(db)).filter(({ state }) => state === 'live').map(({ code }) => code)
  for (const country of countries) {
    const number = readPhoneNumber(written, country)
    if (number.ok) return number.e164
  }
  return null
}

async function ownWorkspaces(db: Db, { personId, text }: { personId: string; text: string }): Promise<Found[]> {
  const sought = text.toLowerCase()
  const isLike = (name: string) => name.startsWith(sought) || name.includes(` ${sought}`)
  return (await listMemberships(db, personId))
    .filter(({ workspaceName }) => isLike(workspaceName.toLowerCase()))
    .slice(0, MAX_PER_KIND)
    .map(({ workspaceId, workspaceName: name }) => ({
      kind: 'workspace',
      id: workspaceId,
      name,
      status: null,
      workspaceId,
      at: null,
    }))
}

function messageFound(message: ListedMessage, request: FastifyRequest): Found {
  const { id, to, status } = messageView(message, callerOf(request).actor)
  const { workspaceId, createdAt: at } = message
  return { kind: 'message', id, name: to, status, workspaceId, at }
}

function deliveryFound({
  id,
  event: name,
  state: status,
  workspaceId,
  createdAt: at,
}: NonNullable<Awaited<ReturnType<typeof findDelivery>>>): Found {
  return { kind: 'delivery', id, name, status, workspaceId, at }
}

function requestFound({ id, method, route, code: status, workspaceId, at }: LoggedRequest): Found {
  return { kind: 'request', id, name: `${method} ${route}`, status, workspaceId, at }
}
