// Values that more than one preset has.
import type { PresetValue } from '../preset.ts'

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
