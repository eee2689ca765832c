// Unmatched delivery receipts of a carrier, with the likely cause.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import type { Carrier } from '../../domain/carriers/carrier.ts'
import { ID_FORMATS } from '../../domain/carriers/smpp/smpp-settings.ts'
import { likelyCause, otherSpellings, type ReceiptCause } from '../../domain/messages/receipt-cause.ts'
import { shownNumber } from '../../domain/people/masking.ts'
import { requireFound } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { findCarrier, listAllCarriers } from '../../store/carriers/carriers.ts'
import type { Db } from '../../store/database/db.ts'
import {
  listClues,
  listLastCarrierIds,
  listUnmatched,
  MAX_UNMATCHED_SHOWN,
  type UnmatchedReceipt,
} from '../../store/messages/unmatched-receipts.ts'
import { callerOf, dbOf } from '../authenticate.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'
import { byId, listOf, pageFrom, pageOf, paging } from '../fields.ts'

const idFormat = z.enum(ID_FORMATS)

const causeAnswer = z
  .discriminatedUnion('kind', [
    z
      .object({ kind: z.literal('id_format'), idFormat: z.object({ answers: idFormat, reports: idFormat }) })
      .describe('The ids are equal in another format: they match with this `idFormat` of the carrier.'),
    z
      .object({ kind: z.literal('other_carrier'), carrierId: z.uuid() })
      .describe('The message went through this other carrier.'),
    z.object({ kind: z.literal('other_number') }).describe('The id belongs to a message to another number.'),
    z
      .object({ kind: z.literal('other_id'), carrierMessageId: z.string() })
      .describe('A recent message to the number has another carrier id.'),
    z
      .object({ kind: z.literal('nothing_sent') })
      .describe('No recent message went to the number through this carrier.'),
  ])
  .meta({ title: 'ReceiptCause' })

const receiptAnswer = z
  .object({
    id: z.uuid(),
    reference: z.string().describe("The carrier's id, in the format that is compared."),
    to: z.string(),
    state: z.string(),
    code: z.string(),
    raw: z.string().describe('The receipt, without the text of its message.'),
    receivedAt: time,
    cause: causeAnswer,
  })
  .meta({ title: 'UnmatchedReceipt' })

const listing = endpointsOf('Carriers')(OPERATORS, {
  operationId: 'listUnmatchedReceipts',
  summary: 'List unmatched receipts',
  description: `The latest ${MAX_UNMATCHED_SHOWN} delivery receipts that no message matched within a minute, with the likely cause.`,
  params: byId,
  querystring: paging,
  response: { 200: listOf(receiptAnswer) },
})

export function mountCarrierReceipts(app: TypedServer, ports: Ports): void {
  app.get('/carriers/:id/receipts', listing, async (request) => {
    const db = dbOf(ports, request)
    const carrier = requireFound(await findCarrier(db, request.params.id))
    const receipts = await listUnmatched(db, { carrierId: carrier.id, ...pageFrom(request.query) })
    const causes = await causesOf(db, carrier, receipts)
    const { actor } = callerOf(request)
    return pageOf(receipts, request.query.limit, ({ carrierId: _, to, ...receipt }) => ({
      ...receipt,
      to: shownNumber(to, actor),
      cause: causes.get(receipt.id) ?? { kind: 'nothing_sent' as const },
    }))
  })
}

/** Carriers that are searched for the message of a receipt. */
const MAX_CARRIERS = 20

async function causesOf(
  db: Db,
  carrier: Carrier,
  receipts: UnmatchedReceipt[],
): Promise<ReadonlyMap<string, ReceiptCause>> {
  const formats = idFormatsOf(carrier)
  const carriers = (await listAllCarriers(db)).slice(-MAX_CARRIERS).map(({ id }) => id)
  const everywhere = [...new Set([carrier.id, ...carriers])]
  const requested = receipts.flatMap(({ reference }) => [
    ...everywhere.map((carrierId) => ({ carrierId, reference })),
    ...otherSpellings(reference, formats).map((it) => ({ carrierId: carrier.id, reference: it.reference })),
  ])
  const [clues, lastIds] = await Promise.all([listClues(db, requested), listLastCarrierIds(db, receipts)])
  return new Map(
    receipts.map((receipt) => [
      receipt.id,
      likelyCause(receipt, { idFormat: formats, clues, lastIdToNumber: lastIds.get(receipt.id) ?? null }),
    ]),
  )
}

/** An HTTP carrier has one format for ids. */
function idFormatsOf(carrier: Carrier) {
  if (carrier.kind === 'http') return { answers: 'opaque', reports: 'opaque' } as const
  const { answerIdFormat: answers, reportIdFormat: reports } = carrier.smpp
  return { answers, reports }
}
