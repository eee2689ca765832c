// Every language has a text for each that English has: a missing one does not compile.
import type { en } from './en.ts'

/** The shape of English, with any words in it. */
type Shape<Of> = Of extends string
  ? string
  : Of extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof Of]: Shape<Of[Key]> }
export type Words = Shape<typeof en>
