// Fields that several resources of the management API share, and pagination.
import { z } from 'zod'
import { MAX_CARRIER_FIELDS } from '../domain/carriers/carrier.ts'
import { MESSAGE_TYPES } from '../domain/message-type.ts'
import { toE4 } from '../domain/money.ts'
import {
  isEmail,
  MAX_EMAIL_LENGTH,
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  normalEmail,
} from '../domain/people/person.ts'
import { isCountry } from '../domain/phone-number.ts'
import { type Refusal, refuseField } from '../domain/refusals.ts'
import { lineError } from '../domain/text-encoding.ts'
import { TIME_RANGES } from '../domain/time-ranges.ts'
import { isTimeZone } from '../domain/workspaces/billing-period.ts'

/** D4: control characters are refused in every string. */
export const line = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => lineError(text) === null, 'Must not contain control characters or invalid Unicode')

export const email = z
  .string()
  .transform(normalEmail)
  .refine(isEmail, 'Must be an e-mail address')
  .meta({ maxLength: MAX_EMAIL_LENGTH, description: 'E-mail address.' })
export const newPassword = z.string().min(MIN_PASSWORD_LENGTH).max(MAX_PASSWORD_LENGTH).describe('A new password.')

/** D7: a decimal number in JSON, an integer of 1/10 000 in the code. */
export const amount = z
  .number()
  .transform((value, context) => {
    const read = toE4(value)
    if (read.ok) return read.e4
    context.addIssue({ code: 'custom', message: AMOUNT_ERRORS[read.why] })
    return z.NEVER
  })
  .meta({ minimum: 0, description: 'A decimal number with at most four decimals.' })

/** Per segment. Keeps the cost of a message within the range of a balance. */
const MAX_PRICE = 100_000_000

const MAX_PRICE_E4 = MAX_PRICE * 10_000

export const price = amount
  .refine((e4) => e4 <= MAX_PRICE_E4, `Must be at most ${MAX_PRICE}`)
  .meta({ maximum: MAX_PRICE })

const AMOUNT_ERRORS = {
  not_finite: 'Must be a number',
  negative: 'Must not be negative',
  too_large: 'Must be smaller',
  too_many_decimals: 'Must have at most four decimals',
}

export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'Must be an ISO 4217 code such as NPR')
  .describe('Currency code (ISO 4217), such as NPR.')

const ISO_3166 = 'ISO 3166-1 alpha-2'
export const countryCode = z
  .string()
  .refine(isCountry, `Must be an ${ISO_3166} code such as NP`)
  .describe(`Country code (${ISO_3166}), such as NP.`)
export const messageType = z.enum(MESSAGE_TYPES).describe('Message type.')
export const messageTypes = z
  .array(messageType)
  .transform((types) => MESSAGE_TYPES.filter((type) => types.includes(type)))

export const timeZone = z
  .string()
  .refine(isTimeZone, 'Must be a time zone such as Asia/Kathmandu')
  .describe('Time zone, such as Asia/Kathmandu.')

/** The range of a chart. */
export const timeRange = z.enum(TIME_RANGES).describe('Time range, up to now.')

/** The range of times in ids and in PostgreSQL. */
const FIRST_TIME = new Date('1970-01-01T00:00:00Z')

const LAST_TIME = new Date('9999-12-31T00:00:00Z')

const OUT_OF_RANGE = 'Must be between the years 1970 and 9999'

/** A time with its offset, such as 2026-01-02T03:04:05Z. */
export const instant = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((at) => at >= FIRST_TIME && at < LAST_TIME, OUT_OF_RANGE)

/** A day such as 2026-01-02. `abort`: the range is checked only for a valid day. */
export const day = z.iso
  .date({ abort: true })
  .refine((text) => text >= '1970-01-02' && text < '9999-12-31', OUT_OF_RANGE)

/** A month such as 2026-01. */
export const month = z
  .string()
  .regex(/^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/, 'Must be a month such as 2026-11')
  .describe("Month in the workspace's time zone, such as 2026-11.")

/** An empty period is refused as a mistake. `until` is excluded. */
export function checkPeriod(
  field: string,
  { since, until }: { since: Date | null; until: Date | null },
): Refusal | null {
  return since && until && until <= since ? refuseField(field, BACKWARDS) : null
}

export const BACKWARDS = 'The period ends before it begins'

/** A query parameter that can occur several times. */
export const anyOf = <Value extends z.ZodEnum>(value: Value) =>
  z
    .preprocess((given) => (Array.isArray(given) ? given : [given]), z.array(value).max(20))
    .transform((some) => [...new Set(some)])

/** An id of a request, as the database writes it: an answer is found by comparing ids. */
export const uuid = z.uuid().toLowerCase()

export const byId = z.object({ id: uuid })

/** The filter of a list over all workspaces. */
export const inWorkspace = { workspace: uuid.optional().describe('Only of this workspace.') }

export const paging = z.object({
  cursor: uuid.optional().describe('`next` of the previous page.'),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Items per page.'),
})

/** One page of a list. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .object({
      items: z.array(item),
      next: z.uuid().nullable().describe('`cursor` of the next page, or null on the last page.'),
    })
    .meta({
      title: `${item.meta()?.title}List`,
      description: 'A page, newest first. Continue while `next` is not null.',
    })
}

/** A short list without pages. */
export function wholeListOf<Item extends z.ZodType>(item: Item) {
  return z
    .object({ items: z.array(item), next: z.null() })
    .meta({ title: `${item.meta()?.title}List`, description: 'All items.' })
}

/** The response of a 204. */
export const noContent = z.null().describe('Done.')

export function pageOf<Item extends { id: string }, View>(
  items: Item[],
  limit: number,
  view: (item: Item) => View,
  scannedTo: string | null = null,
) {
  const shown = items.slice(0, limit)
  return { items: shown.map(view), next: items.length > limit ? (shown.at(-1)?.id ?? null) : scannedTo }
}

/** Reads one item more than the page shows, to detect the last page without a second query. */
export function pageFrom({ cursor, limit }: z.infer<typeof paging>) {
  return { before: cursor ?? null, limit: limit + 1 }
}

/** The fields of a patch replace the fields of an object; missing fields keep their value. */
export function applyPatch<Fields extends object>(
  before: Fields,
  patch: { [Name in keyof Fields]?: Fields[Name] | undefined },
): Fields {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined)
  return { ...before, ...Object.fromEntries(given) }
}

export const fieldName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,39}$/, 'Must be a name of up to 40 letters, digits and underscores')

export const carrierFields = z
  .record(fieldName, z.string().regex(/^[ -~]{1,100}$/, 'Must have 1 to 100 printable ASCII characters'))
  .refine((fields) => Object.keys(fields).length <= MAX_CARRIER_FIELDS, `Must have at most ${MAX_CARRIER_FIELDS} names`)
  .describe('Named values that carriers need with each message, such as `{"dltEntityId": "…"}`.')
