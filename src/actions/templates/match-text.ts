// Tests a text without sending it (§4.1): its matching or closest template, and its cost.
import type { MessageType } from '../../domain/message-type.ts'
import { costE4 } from '../../domain/money.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import { matchText } from '../../domain/templates/template-index.ts'
import { type Encoding, MAX_SEGMENTS, measureText } from '../../domain/text-encoding.ts'
import { findWorkspace } from '../../store/workspaces/workspaces.ts'
import type { Caller, Ports } from '../ports.ts'
import { findNearestTemplate, type NearTemplate } from './nearest-template.ts'
import type { TemplateCache } from './template-cache.ts'

export interface TextMatch {
  encoding: Encoding
  segments: number
  /** §8.4 */
  fits: boolean
  costE4: number
  isTemplateRequired: boolean
  template: { id: string; name: string } | null
  /** Only if no template matches. */
  nearest: NearTemplate | null
}

export function matchTemplates(
  ports: Ports,
  caller: Caller,
  { templates, ...requested }: { templates: TemplateCache; workspaceId: string; type: MessageType; text: string },
): Promise<TextMatch | Refusal> {
  const { workspaceId, type, text } = requested
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const workspace = await findWorkspace(tx, { id: workspaceId, within: onlyWorkspace(caller.actor) })
    if (!workspace) return refuse('not_found')
    const { encoding, segments } = measureText(text)
    const fits = segments <= MAX_SEGMENTS
    const { templatesRevision, templatesRequired: isTemplateRequired, priceE4 } = workspace
    const measured = { encoding, segments, fits, costE4: costE4(priceE4[type], segments), isTemplateRequired }
    // A text that is too long cannot be sent, so it is not matched.
    if (!fits) return { ...measured, template: null, nearest: null }
    const set = (await templates.getTemplates(tx, [{ workspaceId, templatesRevision }])).get(workspaceId)
    if (!set) throw new Error('templates of a workspace not loaded')
    const id = matchText(set.templateIndex[type], text)
    const name = id === null ? undefined : set.templates.get(id)?.name
    if (id !== null && name !== undefined) return { ...measured, template: { id, name }, nearest: null }
    const nearest = await findNearestTemplate(tx, { ...requested, approved: set.templates })
    return { ...measured, template: null, nearest }
  })
}
