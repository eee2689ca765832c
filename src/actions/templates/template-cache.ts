// Compiled templates by workspace. A set is used only if its revision is that of the workspace, read under its lock.
import { MESSAGE_TYPES, type MessageType } from '../../domain/message-type.ts'
import type { ApprovedTemplate } from '../../domain/messages/send-request.ts'
import { parseTemplate } from '../../domain/templates/template.ts'
import { compileTemplates, type TemplateIndex } from '../../domain/templates/template-index.ts'
import type { Tx } from '../../store/database/db.ts'
import { loadApprovedTemplates } from '../../store/templates/templates.ts'

interface TemplateSet {
  revision: number
  templates: Map<string, ApprovedTemplate>
  templateIndex: Record<MessageType, TemplateIndex>
}

/** At most about 100 MB. The least recently used sets are evicted first. */
const MAX_TEMPLATES = 100_000

export class TemplateCache {
  readonly #sets = new Map<string, TemplateSet>()
  readonly #maxTemplates: number
  #templates = 0

  constructor({ maxTemplates = MAX_TEMPLATES } = {}) {
    this.#maxTemplates = maxTemplates
  }

  async getTemplates(
    tx: Tx,
    wanted: { workspaceId: string; templatesRevision: number }[],
  ): Promise<Map<string, TemplateSet>> {
    const taken = new Map<string, TemplateSet>()
    for (const { workspaceId, templatesRevision } of wanted) {
      const set = this.#sets.get(workspaceId)
      if (set?.revision === templatesRevision) taken.set(workspaceId, set)
    }
    const stale = wanted.filter(({ workspaceId }) => !taken.has(workspaceId))
    // `taken` keeps its sets: during the load, another batch may evict them.
    for (const [workspaceId, set] of stale.length > 0 ? await compileStale(tx, stale) : []) taken.set(workspaceId, set)
    for (const [workspaceId, set] of taken) this.#putLast(workspaceId, set)
    this.#makeRoom()
    return taken
  }

  /** The templates last used for a workspace. They may be out of date. */
  lastUsed(workspaceId: string): ReadonlyMap<string, ApprovedTemplate> {
    return this.#sets.get(workspaceId)?.templates ?? new Map()
  }

  #putLast(workspaceId: string, set: TemplateSet): void {
    this.#templates += set.templates.size - (this.#sets.get(workspaceId)?.templates.size ?? 0)
    this.#sets.delete(workspaceId)
    this.#sets.set(workspaceId, set)
  }

  #makeRoom(): void {
    for (const [workspaceId, set] of this.#sets) {
      if (this.#templates <= this.#maxTemplates) return
      this.#sets.delete(workspaceId)
      this.#templates -= set.templates.size
    }
  }
}

async function compileStale(
  tx: Tx,
  stale: { workspaceId: string; templatesRevision: number }[],
): Promise<Map<string, TemplateSet>> {
  const rows = await loadApprovedTemplates(
    tx,
    stale.map((it) => it.workspaceId),
  )
  const byWorkspace = Map.groupBy(rows, (row) => row.workspaceId)
  return new Map(
    stale.map(({ workspaceId, templatesRevision }) => [
      workspaceId,
      compileSet(byWorkspace.get(workspaceId) ?? [], templatesRevision),
    ]),
  )
}

interface TemplateRow {
  id: string
  name: string
  type: MessageType
  text: string
}

function compileSet(rows: TemplateRow[], revision: number): TemplateSet {
  const templates: TemplateSet['templates'] = new Map()
  for (const { id, name, type, text } of rows) {
    const parsed = parseTemplate(text)
    if (parsed.ok) templates.set(id, { name, type, template: parsed.template })
  }
  const ofType = (type: MessageType) =>
    compileTemplates(
      [...templates].filter(([, it]) => it.type === type).map(([id, { template }]) => ({ id, template })),
    )
  const [transactional, otp, promotional] = MESSAGE_TYPES.map(ofType)
  if (!transactional || !otp || !promotional) throw new Error('expected three message types')
  return { revision, templates, templateIndex: { transactional, otp, promotional } }
}
