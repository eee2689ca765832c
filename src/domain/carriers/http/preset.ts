// A preset is data (D63): the description of a known provider with a few places left open, which the operator fills in.
import type { HttpBody } from './call.ts'
import type { HttpDescription } from './description.ts'

export interface Preset {
  name: string
  /** Counted up when the description changes; carriers keep the one they were made from. */
  version: number
  title: string
  /** The pages that the answers were read from, and when. */
  source: string
  /** What the documentation leaves open, and how it was read. */
  notes: readonly string[]
  /** Whether anybody has sent a message through the real provider with it. */
  isTried: boolean
  values: Readonly<Record<string, PresetValue>>
  /** What each is, by its name. */
  secrets: Readonly<Record<string, string>>
  /** Texts may have `{set.NAME}` of the values. */
  description: Omit<HttpDescription, 'preset' | 'body' | 'receipts'>
  /** How receipts come, by the value `receipts`; the first is usual. */
  ways: Readonly<Partial<Record<ReceiptWay, { body: HttpBody | null; receipts: HttpDescription['receipts'] }>>>
}

export const RECEIPT_WAYS = ['callback', 'poll', 'none'] as const
export type ReceiptWay = (typeof RECEIPT_WAYS)[number]

export interface PresetValue {
  tells: string
  /** A regular expression for the whole of it; no brace fits any. */
  form: string
  /** Where it is left out; null is that it must not be. May hold placeholders of the message. */
  otherwise: string | null
  /** A word that depends on what is given, by its form: `{set.NAME.choice}`. */
  choice?: { usual: string; byForm: Readonly<Record<string, string>> }
}
