// Compiled templates, by workspace. Not a copy of the truth: a set is used only while the workspace's revision, read under
// its lock, is the one it was compiled from.
import type { ApprovedTemplate } from '../domain/acceptance.ts'
import type { MessageType } from '../domain/message-type.ts'
import { MESSAGE_TYPES } from '../domain/message-type.ts'
import { parseTemplate } from '../domain/template.ts'
import { compileTemplates, type TemplateIndex } from '../domain/template-index.ts'
import { loadApprovedTemplates } from '../store/acceptance.ts'
import type { Tx } from '../store/db.ts'

export interface TemplateSet {
  revision: number
  templates: Map<string, ApprovedTemplate>
  templateIndex: Record<MessageType, TemplateIndex>
}

/** About 100 MB at worst; the sets used longest ago leave first. */
const MOST_TEMPLATES = 100_000

export class TemplateShelf {
  readonly #sets = new Map<string, TemplateSet>()
  #templates = 0

  async take(tx: Tx, wanted: { workspaceId: string; templatesRevision: number }[]): Promise<Map<string, TemplateSet>> {
    const stale = wanted.filter((it) => this.#sets.get(it.workspaceId)?.revision !== it.templatesRevision)
    if (stale.length > 0) await this.#load(tx, stale)
    const taken = new Map<string, TemplateSet>()
    for (const { workspaceId } of wanted) {
      const set = this.#sets.get(workspaceId)
      if (!set) throw new Error('a set of templates that was just compiled is not there')
      taken.set(workspaceId, set)
      this.#sets.delete(workspaceId)
      this.#sets.set(workspaceId, set)
    }
    this.#makeRoom(taken)
    return taken
  }

  /** Those that were last used for a workspace; only for what may be a moment out of date. */
  lastUsed(workspaceId: string): ReadonlyMap<string, ApprovedTemplate> {
    return this.#sets.get(workspaceId)?.templates ?? new Map()
  }

  async #load(tx: Tx, stale: { workspaceId: string; templatesRevision: number }[]): Promise<void> {
    const rows = await loadApprovedTemplates(
      tx,
      stale.map((it) => it.workspaceId),
    )
    const byWorkspace = Map.groupBy(rows, (row) => row.workspaceId)
    for (const { workspaceId, templatesRevision } of stale) {
      this.#templates -= this.#sets.get(workspaceId)?.templates.size ?? 0
      const set = compileSet(byWorkspace.get(workspaceId) ?? [], templatesRevision)
      this.#sets.set(workspaceId, set)
      this.#templates += set.templates.size
    }
  }

  #makeRoom(inUse: Map<string, TemplateSet>): void {
    for (const [workspaceId, set] of this.#sets) {
      if (this.#templates <= MOST_TEMPLATES || inUse.has(workspaceId)) return
      this.#sets.delete(workspaceId)
      this.#templates -= set.templates.size
    }
  }
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
