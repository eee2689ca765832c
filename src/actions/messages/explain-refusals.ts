// Adds the closest template to the refusal of a text without a matching template (§4.1). If the search fails, the refusal stays unchanged.
import type { MessageType } from '../../domain/message-type.ts'
import type { SendRequest } from '../../domain/messages/send-request.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import type { Ports } from '../ports.ts'
import { findNearestTemplate, type NearTemplate } from '../templates/nearest-template.ts'
import type { TemplateCache } from '../templates/template-cache.ts'

/** Per workspace. */
const MAX_PER_SECOND = 5
const MAX_CONCURRENT = 4

export class Explainer {
  readonly #ports: Ports
  readonly #templates: TemplateCache
  #second = 0
  /** By workspace, in this second. */
  #explained = new Map<string, number>()
  #running = 0

  constructor(ports: Ports, templateCache: TemplateCache) {
    this.#ports = ports
    this.#templates = templateCache
  }

  async explain(request: SendRequest, refusal: Refusal): Promise<Refusal> {
    if (refusal.code !== 'template_required' || request.kind !== 'text' || !('text' in request.content)) return refusal
    const { workspaceId } = request.client
    if (!this.#mayExplain(workspaceId)) return refusal
    this.#running += 1
    try {
      return await this.#look({ workspaceId, type: request.type ?? 'transactional', text: request.content.text })
    } catch {
      return refusal
    } finally {
      this.#running -= 1
    }
  }

  #mayExplain(workspaceId: string): boolean {
    const second = Math.floor(performance.now() / 1000)
    if (second !== this.#second) this.#explained = new Map()
    this.#second = second
    const explained = this.#explained.get(workspaceId) ?? 0
    if (explained >= MAX_PER_SECOND || this.#running >= MAX_CONCURRENT) return false
    this.#explained.set(workspaceId, explained + 1)
    return true
  }

  async #look({ workspaceId, type, text }: { workspaceId: string; type: MessageType; text: string }): Promise<Refusal> {
    const approved = this.#templates.lastUsed(workspaceId)
    return refuseUnmatched(await findNearestTemplate(this.#ports.db, { workspaceId, type, text, approved }))
  }
}

function refuseUnmatched(near: NearTemplate | null): Refusal {
  if (!near) return refuse('template_required', { error: 'The workspace has no approved template of this type' })
  const { reason, ...details } = near
  return refuse('template_required', { error: `The message matches ${wordsOf(near)}`, details })
}

function wordsOf({ name, status, reason, difference }: NearTemplate): string {
  if (!difference)
    return `the template '${name}', which ${status === 'pending' ? 'is still pending review' : `was rejected: ${reason}`}`
  const { position, expected, found } = difference
  return `no approved template of its type. Closest match: '${name}', which has ${expected} at ${position}; the message has ${found}`
}
