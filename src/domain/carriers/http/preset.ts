// A preset is data (D63): the description of a known provider with a few places left open, which the operator fills in.
import type { HttpBody, HttpDescription } from './description.ts'

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

// Values that more than one preset has.

/** Where the provider is; another one is a region of its, or a stand-in for tries. */
export const baseUrl = (usual: string | null): PresetValue => ({
  tells: `the address of its API, such as ${usual ?? 'https://abc123.api.infobip.com'}`,
  form: 'https?://[A-Za-z0-9.:-]{1,200}',
  otherwise: usual,
})

/** Printable, and short enough for any network. */
export const SENDER_FORM = '[A-Za-z0-9+ ._&-]{1,20}'

/** As the message has it (D34), unless one is set for all. */
export const sender: PresetValue = {
  tells: 'a sender for all messages, of up to 20 letters, digits and + . _ & -',
  form: SENDER_FORM,
  otherwise: '{from}',
}

/** What a report leaves out, and how a call is answered that brought one. */
export const SINGLE = { list: null, id: null, reference: null, code: null, codes: {}, to: null, time: null } as const
export const EMPTY_ANSWER = { status: 200, type: 'text/plain', body: '' } as const
export const USUAL_POLLING = { firstAfterSeconds: 10, longestWaitSeconds: 21_600, atOnce: 2, perSecond: 5 } as const
