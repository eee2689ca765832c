// A time in an answer: made as a Date, sent as what JSON makes of one.
import { z } from 'zod'

/** Nothing runs through it: it says what goes in, for the types of views, and what comes out, for the description. */
export const time = z
  .date()
  .transform((at) => at.toISOString())
  .pipe(z.iso.datetime())
