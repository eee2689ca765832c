// The question about messages that a carrier over HTTP has (D54), and what its answer says of each of them.

import { referenceOf } from '../../messages/submission.ts'
import { nationalNumber } from '../../phone-number.ts'
import type { ProtocolSettings } from '../carrier.ts'
import type { HttpSecrets } from '../secrets.ts'
import type { HttpAnswer } from './answer.ts'
import type { HttpAuth, HttpDescription, ReceiptPoll, ReceiptReading } from './description.ts'
import { type ReadReceipt, readReceipts } from './read-receipts.ts'
import { compileRequest, type HttpCall, type Unsayable } from './request.ts'
import { ASKED_PLACEHOLDERS, type FilledValues } from './template.ts'

type AskedValues = Readonly<Record<(typeof ASKED_PLACEHOLDERS)[number], string>>

/** A message that is asked about. */
export interface Asked {
  messageId: string
  carrierMessageId: string | null
  /** By which its reports are found: the carrier's id of it, or ours. */
  reference: string
  to: string
}

/** Of a carrier: how it is asked; null where it is not. */
export function pollOf(carrier: ProtocolSettings): ReceiptPoll | null {
  const receipts = carrier.kind === 'http' ? carrier.http.description.receipts : null
  return receipts?.kind === 'poll' ? receipts : null
}

export function authOf({ auth, receipts }: HttpDescription): HttpAuth | null {
  return receipts?.kind !== 'poll' || receipts.auth === 'same' ? auth : receipts.auth
}

/** The call that asks about messages, at least one. */
export type MakePoll = (asked: readonly Asked[]) => HttpCall | Unsayable

/** Of a description that was judged. */
export function compilePoll(description: HttpDescription, poll: ReceiptPoll, secrets: HttpSecrets): MakePoll {
  const { method, url, headers, body, many } = poll
  const request = { method, url, headers, body, auth: authOf(description), items: many?.items ?? null }
  const make = compileRequest({ ...request, placeholders: ASKED_PLACEHOLDERS }, secrets)
  const join = many?.join ?? null
  return (asked) => {
    // Dots alone would be a way up, in whatever way they are written.
    if (asked.some((it) => /^\.+$/.test(it.carrierMessageId ?? ''))) return { unsayable: 'its id is of dots alone' }
    const all = asked.map(askedValues)
    const [first] = all
    if (!first) return { unsayable: 'nothing is asked' }
    return join === null ? make(first, all) : make(joined(all, join))
  }
}

function askedValues({ messageId, carrierMessageId, to }: Asked): AskedValues {
  return {
    id: carrierMessageId ?? '',
    reference: referenceOf(messageId),
    messageId,
    to,
    toDigits: to.replace(/^\+/, ''),
    toNational: nationalNumber(to),
  }
}

function joined(all: AskedValues[], between: string): FilledValues {
  return Object.fromEntries(ASKED_PLACEHOLDERS.map((name) => [name, { each: all.map((it) => it[name]), between }]))
}

/** How a question came out: what was answered can be read, or why it cannot. */
export type PollOutcome = 'reported' | 'nothing' | 'throttled' | 'refused' | 'unreadable' | 'unanswered'

export interface ReadPoll {
  outcome: PollOutcome
  /** The last word on each of those that were asked about, in their order; null where it does not speak of it. */
  told: (ReadReceipt | null)[]
  /** For the log. */
  oddity: string | null
}

/** It does not know the message: perhaps not yet. */
const UNKNOWN_THERE = [404, 410]

export function readPoll({ status, json }: HttpAnswer, asked: readonly Asked[], reading: ReceiptReading): ReadPoll {
  const none = (outcome: PollOutcome, oddity: string | null = null) => ({
    outcome,
    told: asked.map(() => null),
    oddity,
  })
  if (status === 429) return none('throttled')
  if (UNKNOWN_THERE.includes(status)) return none('nothing', `it answers ${status}`)
  if (status === 204) return none('nothing')
  if (status < 200 || status > 299) return none('refused', `it answers ${status}`)
  if (json === undefined) return none('unreadable', 'the answer is not JSON')
  const source = { json, form: new URLSearchParams(), query: new URLSearchParams() }
  const { receipts, unreadable } = readReceipts(source, reading)
  const told = asked.map((it) => receipts.findLast((receipt) => isAbout(receipt, it, reading)) ?? null)
  if (told.some((it) => it !== null)) return { outcome: 'reported', told, oddity: null }
  const oddity = unreadable > 0 ? 'no state can be read in the answer' : receipts.length > 0 ? OF_OTHERS : null
  return none('nothing', oddity)
}

const OF_OTHERS = 'the answer speaks of other messages alone'

/** What the answer says of others is not believed: they were not asked about. */
function isAbout({ reference }: ReadReceipt, asked: Asked, { id, reference: ours }: ReceiptReading): boolean {
  if (ours !== null) return reference === referenceOf(asked.messageId)
  return id === null || reference === asked.carrierMessageId
}
