// Puts the parts of a long reply together, in whichever order they come (§6.2).
import { joinParts } from '../../domain/messages/inbound.ts'
import type { Tx } from '../../store/database/db.ts'
import { deleteParts, keepPart, type LongPart, loadParts } from '../../store/messages/inbound.ts'

/**
 * The whole text, once this part completes it. A part that was seen before counts as long as it waits for the rest: delivered
 * again, it is of today.
 */
export async function assembleReply(tx: Tx, long: LongPart, isNew: boolean): Promise<string | null> {
  const { text, receivedAt, part: it } = long
  const known = await loadParts(tx, long)
  const waits = known.some((part) => part.number === it.number && part.text === text)
  if (!isNew && !waits) return null
  const { text: whole, over } = joinParts(known, { part: { number: it.number, text, receivedAt }, total: it.total })
  await deleteParts(tx, long, whole === null ? over : known.map((part) => part.number))
  if (whole === null) await keepPart(tx, long)
  return whole
}
