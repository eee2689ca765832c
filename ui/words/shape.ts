// The type of the texts: every language has the keys of English.
import type { en } from './en.ts'

type Shape<Of> = Of extends string
  ? string
  : Of extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof Of]: Shape<Of[Key]> }
export type Words = Shape<typeof en>
