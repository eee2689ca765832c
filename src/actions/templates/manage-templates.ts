// Submits, reviews and changes templates (§2.5).
import type { CarrierFields } from '../../domain/carriers/carrier.ts'
import type { MessageType } from '../../domain/message-type.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import {
  countPendingTemplates,
  findTemplate,
  insertTemplate,
  lockTemplate,
  type StoredTemplate,
  setCarrierFields,
  setReview,
} from '../../store/templates/templates.ts'
import { lockWorkspace, raiseTemplatesRevision } from '../../store/workspaces/workspaces.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

/** Per workspace (D43). */
export const MAX_PENDING = 100
const TOO_MANY = { error: `${MAX_PENDING} templates of the workspace are in review; submit more after it` }

export interface NewTemplate extends Pick<StoredTemplate, 'workspaceId' | 'name' | 'text' | 'carrierFields'> {
  type: MessageType
}

export function submitTemplate(
  ports: Ports,
  caller: Caller,
  { workspaceId, name, type, text, carrierFields }: NewTemplate,
): Promise<StoredTemplate | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    if (!(await lockWorkspace(tx, { id: workspaceId, within: onlyWorkspace(caller.actor) }))) return refuse('not_found')
    if ((await countPendingTemplates(tx, workspaceId)) >= MAX_PENDING) return refuse('conflict', TOO_MANY)
    const id = ports.ids.next()
    const createdAt = ports.clock.now()
    const template: StoredTemplate = {
      id,
      workspaceId,
      name,
      type,
      text,
      status: 'pending',
      reason: null,
      carrierFields,
      createdAt,
      reviewedAt: null,
    }
    await insertTemplate(tx, template)
    const details = { name, type }
    await recordChange(tx, { ports, caller, workspaceId, action: 'template.submitted', subject: id, details })
    return template
  })
}

/** A review may be changed later, in both directions. */
export function reviewTemplate(
  ports: Ports,
  caller: Caller,
  { id, verdict }: { id: string; verdict: { approve: true } | { rejectBecause: string } },
): Promise<StoredTemplate | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const found = await findTemplate(tx, { id, within: null })
    if (!found) return refuse('not_found')
    const { workspaceId } = found
    // Lock order: the workspace first, as for accepting messages.
    await lockWorkspace(tx, { id: workspaceId, within: onlyWorkspace(caller.actor) })
    const template = await lockTemplate(tx, id)
    if (!template) return refuse('not_found')
    const now = ports.clock.now()
    const status = 'approve' in verdict ? 'approved' : 'rejected'
    const reason = 'approve' in verdict ? null : verdict.rejectBecause
    await setReview(tx, { id, status, reason, now })
    await raiseTemplatesRevision(tx, workspaceId)
    const details = reason === null ? {} : { reason }
    await recordChange(tx, { ports, caller, workspaceId, action: `template.${status}`, subject: id, details })
    return { ...template, status, reason, reviewedAt: now }
  })
}

/** D57: for example ids of a regulator. They are not part of the review. */
export function changeCarrierFields(
  ports: Ports,
  caller: Caller,
  { id, fields }: { id: string; fields: CarrierFields },
): Promise<StoredTemplate | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const template = await lockTemplate(tx, id)
    if (!template) return refuse('not_found')
    await setCarrierFields(tx, id, fields)
    const { workspaceId } = template
    const details = { carrierFields: { from: template.carrierFields, to: fields } }
    await recordChange(tx, { ports, caller, workspaceId, action: 'template.changed', subject: id, details })
    return { ...template, carrierFields: fields }
  })
}
