// Tells whoever sent a text that matches no approved template what would match (§4.1). It comes after the decision, beside the lane,
// and is a courtesy: it is bounded in every way, and whatever goes wrong leaves the refusal as it was.
import type { SendRequest } from '../domain/acceptance.ts'
import type { MessageType } from '../domain/message-type.ts'
import { type NearestTemplate, type Refusal, refuse } from '../domain/refusals.ts'
import { parseTemplate } from '../domain/template.ts'
import { findNearest, type NamedTemplate } from '../domain/template-difference.ts'
import { compileTemplates, matchText } from '../domain/template-index.ts'
import { listNewestUnapproved, type Template } from '../store/templates.ts'
import type { Ports } from './ports.ts'
import type { TemplateCache } from './template-cache.ts'

/** Whoever sends wrong texts faster than that does not read the answers. */
const MOST_TOLD_IN_A_SECOND = 5
const MOST_AT_ONCE = 4
/** What waits for review was submitted lately. */
const NEWEST_LOOKED_AT = 50

export class Explainer {
  readonly #ports: Ports
  readonly #templates: TemplateCache
  #second = 0
  /** By workspace, in this second. */
  #told = new Map<string, number>()
  #running = 0

  constructor(ports: Ports, templateCache: TemplateCache) {
    this.#ports = ports
    this.#templates = templateCache
  }

  /** The refusal with what can be said about it. */
  async explain(request: SendRequest, refusal: Refusal): Promise<Refusal> {
    if (refusal.code !== 'template_required' || request.kind !== 'text' || !('text' in request.content)) return refusal
    const { workspaceId } = request.client
    if (!this.#mayTell(workspaceId)) return refusal
    this.#running += 1
    try {
      return await this.#look({ workspaceId, type: request.type ?? 'transactional', text: request.content.text })
    } catch {
      return refusal
    } finally {
      this.#running -= 1
    }
  }

  #mayTell(workspaceId: string): boolean {
    const second = Math.floor(performance.now() / 1000)
    if (second !== this.#second) this.#told = new Map()
    this.#second = second
    const told = this.#told.get(workspaceId) ?? 0
    if (told >= MOST_TOLD_IN_A_SECOND || this.#running >= MOST_AT_ONCE) return false
    this.#told.set(workspaceId, told + 1)
    return true
  }

  async #look({ workspaceId, type, text }: { workspaceId: string; type: MessageType; text: string }): Promise<Refusal> {
    const unapproved = await listNewestUnapproved(this.#ports.db, { workspaceId, type, limit: NEWEST_LOOKED_AT })
    const matching = findMatching(unapproved, text)
    if (matching) return refuseUnapproved(matching)
    const approved = this.#templates.lastUsed(workspaceId).entries()
    const ofType = approved.filter(([, it]) => it.type === type).map(([id, it]): NamedTemplate => ({ id, ...it }))
    return refuseUnmatched(findNearest(ofType, text))
  }
}

function findMatching(templates: Template[], text: string): Template | undefined {
  const parsed = templates.flatMap(({ id, text: source }) => {
    const result = parseTemplate(source)
    return result.ok ? [{ id, template: result.template }] : []
  })
  const id = matchText(compileTemplates(parsed), text)
  return templates.find((template) => template.id === id)
}

function refuseUnapproved({ id, name, status, reason }: Template): Refusal {
  const because = status === 'pending' ? 'is still pending review' : `was rejected: ${reason}`
  const details: NearestTemplate = { templateId: id, name, status }
  return refuse('template_required', { error: `The message matches the template '${name}', which ${because}`, details })
}

function refuseUnmatched(nearest: ReturnType<typeof findNearest>): Refusal {
  if (!nearest) return refuse('template_required', { error: 'The workspace has no approved template of this type' })
  const { id, name, difference } = nearest
  const { position, expected, found } = difference
  const error = `The message matches no approved template of its type. It comes nearest to '${name}': at ${position} that has ${expected}, the message ${found}`
  return refuse('template_required', { error, details: { templateId: id, name, status: 'approved', difference } })
}
