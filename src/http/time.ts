// The schema of a time in a response: a Date that JSON writes as an ISO string.
import { z } from 'zod'

/** Never run: its input types the views, and its output describes the response. */
export const time = z
  .date()
  .transform((at) => at.toISOString())
  .pipe(z.iso.datetime())
