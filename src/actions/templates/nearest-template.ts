// Finds the closest template for a text without an approved match (§4.1): a matching unapproved one, or the least different approved one.
import type { MessageType } from '../../domain/message-type.ts'
import type { ApprovedTemplate } from '../../domain/messages/send-request.ts'
import type { NearestTemplate } from '../../domain/refusals.ts'
import { parseTemplate } from '../../domain/templates/template.ts'
import { findClosestTemplate } from '../../domain/templates/template-difference.ts'
import { compileTemplates, matchText } from '../../domain/templates/template-index.ts'
import type { Queries } from '../../store/database/db.ts'
import { listNewestUnapproved, type StoredTemplate } from '../../store/templates/templates.ts'

/** Templates in review are recent, so older ones are not searched. */
const NEWEST_LOOKED_AT = 50

export interface NearTemplate extends NearestTemplate {
  /** Why it was rejected. */
  reason: string | null
}

export async function findNearestTemplate(
  db: Queries,
  {
    workspaceId,
    type,
    text,
    approved,
  }: { workspaceId: string; type: MessageType; text: string; approved: ReadonlyMap<string, ApprovedTemplate> },
): Promise<NearTemplate | null> {
  const unapproved = await listNewestUnapproved(db, { workspaceId, type, limit: NEWEST_LOOKED_AT })
  const matching = findMatching(unapproved, text)
  if (matching) return { templateId: matching.id, ...named(matching) }
  const ofType = approved.entries().filter(([, it]) => it.type === type)
  const nearest = findClosestTemplate(
    ofType.map(([id, it]) => ({ id, ...it })),
    text,
  )
  if (!nearest) return null
  const { id: templateId, name, difference } = nearest
  return { templateId, name, status: 'approved', reason: null, difference }
}

function named({ name, status, reason }: StoredTemplate) {
  return { name, status, reason }
}

function findMatching(templates: StoredTemplate[], text: string): StoredTemplate | undefined {
  const parsed = templates.flatMap(({ id, text: source }) => {
    const result = parseTemplate(source)
    return result.ok ? [{ id, template: result.template }] : []
  })
  const id = matchText(compileTemplates(parsed), text)
  return templates.find((template) => template.id === id)
}
