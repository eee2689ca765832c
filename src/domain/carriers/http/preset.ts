// A preset (D63): the HTTP description of a known provider, with values for the operator to fill in.
import type { HttpBody, HttpDescription } from './description.ts'

export interface Preset {
  name: string
  /** Incremented when the description changes; a carrier keeps the version it was created from. */
  version: number
  title: string
  /** The pages that the description is based on, and when they were read. */
  source: string
  /** What the provider's documentation leaves open, and how the preset handles it. */
  notes: readonly string[]
  /** Whether the preset was used to send a message through the real provider. */
  isVerified: boolean
  values: Readonly<Record<string, PresetValue>>
  /** Descriptions by name. */
  secrets: Readonly<Record<string, string>>
  /** Texts may contain `{set.NAME}` for a value. */
  description: Omit<HttpDescription, 'preset' | 'body' | 'receipts'>
  /** By the value `receipts`; the first one is the default. */
  ways: Readonly<Partial<Record<ReceiptMode, { body: HttpBody | null; receipts: HttpDescription['receipts'] }>>>
}

export const RECEIPT_MODES = ['callback', 'poll', 'none'] as const
export type ReceiptMode = (typeof RECEIPT_MODES)[number]

export interface PresetValue {
  description: string
  /** A regular expression for the whole value; it never matches a brace. */
  form: string
  /** null if the value is required. May contain placeholders of the message. */
  default: string | null
  /** A text that depends on the form of the value: `{set.NAME.choice}`. */
  choice?: { usual: string; byForm: Readonly<Record<string, string>> }
}

// Values that several presets share.

/** The base URL of the provider, of one of its regions, or of a test server. */
export const baseUrl = (usual: string | null): PresetValue => ({
  description: `Base URL of the API, for example ${usual ?? 'https://abc123.api.infobip.com'}`,
  form: 'https?://[A-Za-z0-9.:-]{1,200}',
  default: usual,
})

/** Printable, and short enough for every network. */
export const SENDER_FORM = '[A-Za-z0-9+ ._&-]{1,20}'

/** The message's own sender (D34), unless the operator sets one for all messages. */
export const sender: PresetValue = {
  description: 'Sender for all messages: up to 20 letters, digits, spaces and + . _ & -',
  form: SENDER_FORM,
  default: '{from}',
}

/** Defaults of the receipt reading and of the response to a callback. */
export const SINGLE = { list: null, id: null, reference: null, code: null, codes: {}, to: null, time: null } as const
export const EMPTY_ANSWER = { status: 200, type: 'text/plain', body: '' } as const
export const DEFAULT_POLLING = { firstAfterSeconds: 10, longestWaitSeconds: 21_600, atOnce: 2, perSecond: 5 } as const
