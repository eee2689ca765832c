// The query parameters of message lists, and their conversion to a filter of the store.
import { z } from 'zod'
import { MESSAGE_STATUSES } from '../../domain/message-status.ts'
import { MAX_SEARCH_LENGTH, parseSearch } from '../../domain/messages/message-search.ts'
import type { Manager } from '../../domain/people/actor.ts'
import { canRevealNumbers, canSeeNumbers, canSeeTexts } from '../../domain/people/masking.ts'
import { readPhoneNumber } from '../../domain/phone-number.ts'
import { type Refusal, refuseField } from '../../domain/refusals.ts'
import { parseDay } from '../../domain/workspaces/billing-period.ts'
import type { MessageFilter } from '../../store/messages/messages.ts'
import type { Page } from '../../store/pages.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'
import { anyOf, checkPeriod, day, instant, line, messageType } from '../fields.ts'

// A day is in the time zone of the workspace.
const dayOrInstant = day.or(instant)

export const messageFilters = z.object({
  client: z.uuid().optional().describe('Client that sent the message.'),
  status: anyOf(z.enum(MESSAGE_STATUSES)).default([]).describe('Any of these statuses. Default: all.'),
  type: messageType.optional(),
  to: z.string().optional().describe('Recipient, in any format that can be sent to. Not for viewers.'),
  search: line(MAX_SEARCH_LENGTH)
    .optional()
    .describe(
      'Number or last digits, id or part of it, or words of the text. Viewers search by up to four last digits or by id.',
    ),
  'from-date': dayOrInstant.optional().describe("First day in the workspace's time zone, or a time with its offset."),
  'to-date': dayOrInstant.optional().describe('Last day, included, or a time, excluded.'),
})

/** In a URL a plain plus is a space. */
const NO_NUMBER = 'Must be a mobile number in a format that can be sent to; encode its + as %2B'

const FOR_VIEWERS = 'A viewer searches by the last four digits of a number or by the message id'

/** null if the search cannot match any message. */
export function readFilter(
  query: z.infer<typeof messageFilters>,
  { workspace, actor }: { workspace: Workspace; actor: Manager },
): Omit<MessageFilter, keyof Page> | Refusal | null {
  const { id: workspaceId, country, timeZone } = workspace
  const { client: clientId = null, status: statuses, type = null, to: written } = query
  const number = written === undefined ? null : readPhoneNumber(written, country)
  if (number && !canRevealNumbers(actor)) return refuseField('to', FOR_VIEWERS)
  if (number?.ok === false) return refuseField('to', NO_NUMBER)
  const { 'from-date': from, 'to-date': until } = query
  const dates = {
    since: typeof from === 'string' ? parseDay(from, timeZone).startsAt : (from ?? null),
    until: typeof until === 'string' ? parseDay(until, timeZone).endsAt : (until ?? null),
  }
  const backwards = checkPeriod('to-date', dates)
  if (backwards) return backwards
  const sight = { country, seesNumbers: canSeeNumbers(actor), seesTexts: canSeeTexts(actor) }
  const search = query.search === undefined ? null : parseSearch(query.search, sight)
  if (query.search !== undefined && search === null) return null
  if (search?.by === 'number' && !canRevealNumbers(actor)) return refuseField('search', FOR_VIEWERS)
  return { workspaceId, clientId, statuses, type, to: number?.e164 ?? null, ...dates, search }
}
