// The query parameters of message lists, and their conversion to a filter of the store.
import { z } from 'zod'
import { findPlacesAwaiting } from '../../actions/service/check-service.ts'
import { MESSAGE_STATUSES } from '../../domain/message-status.ts'
import { MAX_SEARCH_LENGTH, parseSearch } from '../../domain/messages/message-search.ts'
import type { Manager } from '../../domain/people/actor.ts'
import { canRevealNumbers, canSeeNumbers, canSeeTexts } from '../../domain/people/masking.ts'
import { readPhoneNumber } from '../../domain/phone-number.ts'
import { Refusal, refuseField } from '../../domain/refusals.ts'
import type { Db } from '../../store/database/db.ts'
import type { MessageFilter } from '../../store/messages/messages.ts'
import type { Page } from '../../store/pages.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'
import { datesIn, readDates } from '../days.ts'
import { anyOf, countryCode, line, messageType, uuid } from '../fields.ts'

export const messageFilters = z.object({
  client: uuid.optional().describe('Client that sent the message.'),
  status: anyOf(z.enum(MESSAGE_STATUSES)).default([]).describe('Any of these statuses. Default: all.'),
  type: messageType.optional(),
  country: countryCode.optional(),
  carrier: z
    .uuid()
    .optional()
    .describe('Carrier of the last submission, or one that a queued message waits for. Only for the operator.'),
  to: z.string().optional().describe('Recipient, in any format that can be sent to. Not for viewers.'),
  search: line(MAX_SEARCH_LENGTH)
    .optional()
    .describe(
      'Number or last digits, id or part of it, or words of the text. Viewers search by up to four last digits or by id.',
    ),
  ...datesIn("the workspace's time zone"),
})

/** In a URL a plain plus is a space. */
const NO_NUMBER = 'Must be a mobile number in a format that can be sent to; encode its + as %2B'

const FOR_VIEWERS = 'A viewer searches by the last four digits of a number or by the message id'

const FOR_OPERATORS = 'Only the operator can filter by carrier; remove it'

/** Without a country, a number needs its plus. */
const EVERYWHERE = { id: null, country: '', timeZone: 'UTC' }

interface FilterContext {
  /** null for all workspaces. */
  workspace: Workspace | null
  actor: Manager
  now: Date
}

/** null if the search cannot match any message. */
export async function readFilter(
  db: Db,
  query: z.infer<typeof messageFilters>,
  { workspace, actor, now }: FilterContext,
): Promise<Omit<MessageFilter, keyof Page> | Refusal | null> {
  const { id: workspaceId, country: home, timeZone } = workspace ?? EVERYWHERE
  const { client: clientId = null, status: statuses, type = null, country = null, carrier: id, to: written } = query
  const number = written === undefined ? null : readPhoneNumber(written, home)
  if (number && !canRevealNumbers(actor)) return refuseField('to', FOR_VIEWERS)
  if (number?.ok === false) return refuseField('to', NO_NUMBER)
  if (id !== undefined && actor.kind !== 'operator') return refuseField('carrier', FOR_OPERATORS)
  const dates = readDates(query, timeZone)
  if (dates instanceof Refusal) return dates
  const sight = { country: home, seesNumbers: canSeeNumbers(actor), seesTexts: canSeeTexts(actor) }
  const search = query.search === undefined ? null : parseSearch(query.search, sight)
  if (query.search !== undefined && search === null) return null
  if (search?.by === 'number' && !canRevealNumbers(actor)) return refuseField('search', FOR_VIEWERS)
  const carrier = id === undefined ? null : { id, places: await findPlacesAwaiting(db, id, now) }
  return { workspaceId, clientId, statuses, type, country, carrier, to: number?.e164 ?? null, ...dates, search }
}
