// Tells whoever sent a text that matches no approved template what would match (§4.1). It comes after the decision, beside the lane,
// and is a courtesy: it is bounded in every way, and whatever goes wrong leaves the refusal as it was.

import type { MessageType } from '../../domain/message-type.ts'
import type { SendRequest } from '../../domain/messages/send-request.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import type { Ports } from '../ports.ts'
import { findNearestTemplate, type Near } from '../templates/nearest-template.ts'
import type { TemplateCache } from '../templates/template-cache.ts'

/** Whoever sends wrong texts faster than that does not read the answers. */
const MOST_TOLD_IN_A_SECOND = 5
const MOST_AT_ONCE = 4

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
    const approved = this.#templates.lastUsed(workspaceId)
    return refuseUnmatched(await findNearestTemplate(this.#ports.db, { workspaceId, type, text, approved }))
  }
}

function refuseUnmatched(near: Near | null): Refusal {
  if (!near) return refuse('template_required', { error: 'The workspace has no approved template of this type' })
  const { reason, ...details } = near
  return refuse('template_required', { error: `The message matches ${wordsOf(near)}`, details })
}

function wordsOf({ name, status, reason, difference }: Near): string {
  if (!difference)
    return `the template '${name}', which ${status === 'pending' ? 'is still pending review' : `was rejected: ${reason}`}`
  const { position, expected, found } = difference
  return `no approved template of its type. It comes nearest to '${name}': at ${position} that has ${expected}, the message ${found}`
}
