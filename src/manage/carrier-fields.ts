// Named values that carriers ask for beside a message, of a workspace or of a template (D57).
import { z } from 'zod'
import { MOST_CARRIER_FIELDS } from '../domain/carriers/carrier.ts'

export const fieldName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,39}$/, 'Must be a name of up to 40 letters, digits and underscores')

export const carrierFields = z
  .record(fieldName, z.string().regex(/^[ -~]{1,100}$/, 'Must have 1 to 100 printable ASCII characters'))
  .refine(
    (fields) => Object.keys(fields).length <= MOST_CARRIER_FIELDS,
    `Must have at most ${MOST_CARRIER_FIELDS} names`,
  )
  .describe('Named values that carriers need with each message, such as `{"dltEntityId": "…"}`.')
