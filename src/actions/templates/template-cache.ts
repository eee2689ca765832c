// Compiled templates, by workspace. Not a copy of the truth: a set is used only while the workspace's revision, read under
// its lock, is the one it was compiled from.

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

/** About 100 MB at worst; the sets used longest ago leave first. */
const MOST_TEMPLATES = 100_000

export class TemplateCache {
  readonly #sets = new Map<string, TemplateSet>()
  readonly #mostTemplates: number
  #templates = 0

  constructor({ mostTemplates = MOST_TEMPLATES } = {}) {
    this.#mostTemplates = mostTemplates
  }

  async take(tx: Tx, wanted: { workspaceId: string; templatesRevision: number }[]): Promise<Map<string, TemplateSet>> {
    const taken = new Map<string, TemplateSet>()
    for (const { workspaceId, templatesRevision } of wanted) {
      const set = this.#sets.get(workspaceId)
      if (set?.revision === templatesRevision) taken.set(workspaceId, set)
    }
    const stale = wanted.filter(({ workspaceId }) => !taken.has(workspaceId))
    // What was taken stays in hand: while these are loaded, another batch may need the room on the templateCache.
    for (const [workspaceId, set] of stale.length > 0 ? await compileStale(tx, stale) : []) taken.set(workspaceId, set)
    for (const [workspaceId, set] of taken) this.#putLast(workspaceId, set)
    this.#makeRoom()
    return taken
  }

  /** Those that were last used for a workspace; only for what may be a moment out of date. */
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
      if (this.#templates <= this.#mostTemplates) return
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
  if (!transactional || !otp || !promotional) throw new Error('there are three types of message')
  return { revision, templates, templateIndex: { transactional, otp, promotional } }
}
