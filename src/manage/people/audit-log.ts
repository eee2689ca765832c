// The audit log (§5.1 rule 8): of a workspace for its owner, and the whole log for the operator.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { WORKSPACE_ROLES } from '../../domain/people/permission.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import type { Queries } from '../../store/database/db.ts'
import { type AuditEntry, listAuditEntries } from '../../store/people/audit.ts'
import { findActorNames } from '../../store/people/people.ts'
import { callerOf, dbOf, loadWorkspace } from '../authenticate.ts'
import { endpointsOf, OPERATORS, OWNERS } from '../endpoint.ts'
import { byId, listOf, pageFrom, pageOf, paging, uuid } from '../fields.ts'

const entryAnswer = z
  .object({
    id: z.uuid(),
    actor: z
      .string()
      .describe(
        'Role and id of the person or token, such as `owner:<id>`; `operator` for HULAKI_OPERATOR_TOKEN, `service` for automatic changes.',
      ),
    by: z
      .object({ kind: z.enum(['person', 'token']), id: z.uuid(), name: z.string(), email: z.string().nullable() })
      .nullable()
      .describe('The person or token. For operators, visible to operators only.'),
    action: z.string().describe('Action, such as `client.key_rotated`.'),
    subject: z.string().describe('Id of the changed object.'),
    details: z.record(z.string(), z.unknown()).describe('Old and new values, never a secret.'),
    address: z.string().nullable().describe('IP address of the call. For operators, visible to operators only.'),
    requestId: z.uuid().nullable(),
    at: time,
  })
  .meta({ title: 'WorkspaceAuditEntry' })
const anyEntryAnswer = entryAnswer.extend({ workspaceId: z.uuid().nullable() }).meta({ title: 'AuditEntry' })

const filters = paging.extend({
  action: z
    .string()
    .regex(/^[a-z_]+(\.[a-z_]+)?$/, 'Must be an action or its prefix, for example client.key_rotated or client')
    .max(100)
    .optional()
    .describe('Action, such as `client.key_rotated`, or its prefix, such as `client`.'),
  by: uuid.optional().describe('Id of a person or token.'),
})
const filterOf = ({ action, by, ...page }: z.infer<typeof filters>) => ({
  action: action ?? null,
  by: by ?? null,
  ...pageFrom(page),
})

const endpoint = endpointsOf('Audit log')
const calls = {
  ofWorkspace: endpoint(OWNERS, {
    operationId: 'listWorkspaceAuditLog',
    summary: 'List the audit log',
    description: 'All changes in a workspace.',
    params: byId,
    querystring: filters,
    response: { 200: listOf(entryAnswer) },
  }),
  all: endpoint(OPERATORS, {
    operationId: 'listAuditLog',
    summary: 'List the whole audit log',
    description: 'All changes, with carriers, routes and the service.',
    querystring: filters,
    response: { 200: listOf(anyEntryAnswer) },
  }),
}

export function mountAuditLog(app: TypedServer, ports: Ports): void {
  app.get('/workspaces/:id/audit-log', calls.ofWorkspace, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const filter = { workspaceId: workspace.id, ...filterOf(request.query) }
    const { rows: entries, scannedTo } = await listAuditEntries(dbOf(ports, request), filter)
    const { actor } = callerOf(request)
    const view = actor.kind === 'operator' ? entryView : ownerView
    const names = await namesIn(dbOf(ports, request), entries)
    return pageOf(entries, request.query.limit, (entry) => view(entry, names), scannedTo)
  })

  app.get('/audit-log', calls.all, async (request) => {
    const filter = { workspaceId: null, ...filterOf(request.query) }
    const { rows: entries, scannedTo } = await listAuditEntries(dbOf(ports, request), filter)
    const names = await namesIn(dbOf(ports, request), entries)
    const view = (entry: AuditEntry) => ({ ...entryView(entry, names), workspaceId: entry.workspaceId })
    return pageOf(entries, request.query.limit, view, scannedTo)
  })
}

type Names = Map<string, z.input<typeof entryAnswer>['by']>

async function namesIn(db: Queries, entries: AuditEntry[]): Promise<Names> {
  const ids = new Set(entries.map(({ actor }) => actor.split(':')[1]).filter((id) => id !== undefined))
  const found = ids.size === 0 ? [] : await findActorNames(db, [...ids])
  return new Map(found.map((it) => [it.id, it]))
}

function entryView({ workspaceId: _, ...entry }: AuditEntry, names: Names): z.input<typeof entryAnswer> {
  return { ...entry, by: names.get(entry.actor.split(':')[1] ?? '') ?? null }
}

/** D43: owners see neither the operator nor the address and request of an operator's change. */
function ownerView(entry: AuditEntry, names: Names): z.input<typeof entryAnswer> {
  const [role = ''] = entry.actor.split(':')
  if (WORKSPACE_ROLES.some((it) => it === role)) return entryView(entry, names)
  return { ...entryView(entry, names), actor: role, by: null, address: null, requestId: null }
}
