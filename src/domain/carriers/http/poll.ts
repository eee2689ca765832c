// The poll request for messages at an HTTP carrier (D54), and what its response says about each message.

import { referenceOf } from '../../messages/submission.ts'
import { nationalNumber } from '../../phone-number.ts'
import type { ProtocolSettings } from '../carrier.ts'
import type { HttpSecrets } from '../secrets.ts'
import type { HttpAnswer } from './answer.ts'
import type { HttpAuth, HttpDescription, ReceiptPoll, ReceiptReading } from './description.ts'
import { type ReadReceipt, readReceipts } from './read-receipts.ts'
import { compileRequest, type HttpCall, type Unsendable } from './request.ts'
import { type FilledValues, POLL_PLACEHOLDERS } from './template.ts'

type PollValues = Readonly<Record<(typeof POLL_PLACEHOLDERS)[number], string>>

/** A message to poll for. */
export interface PolledMessage {
  messageId: string
  carrierMessageId: string | null
  /** The carrier's id of the message, or our own reference; receipts are matched by it. */
  reference: string
  to: string
}

/** null if the carrier is not polled. */
export function pollOf(carrier: ProtocolSettings): ReceiptPoll | null {
  const receipts = carrier.kind === 'http' ? carrier.http.description.receipts : null
  return receipts?.kind === 'poll' ? receipts : null
}

export function authOf({ auth, receipts }: HttpDescription): HttpAuth | null {
  return receipts?.kind !== 'poll' || receipts.auth === 'same' ? auth : receipts.auth
}

/** Builds the call that polls for at least one message. */
export type MakePoll = (polled: readonly PolledMessage[]) => HttpCall | Unsendable

/** Expects a validated description. */
export function compilePoll(description: HttpDescription, poll: ReceiptPoll, secrets: HttpSecrets): MakePoll {
  const { method, url, headers, body, many } = poll
  const request = { method, url, headers, body, auth: authOf(description), items: many?.items ?? null }
  const make = compileRequest({ ...request, placeholders: POLL_PLACEHOLDERS }, secrets)
  const join = many?.join ?? null
  return (polled) => {
    // An id that consists of dots would change the path of the URL, even encoded.
    if (polled.some((it) => /^\.+$/.test(it.carrierMessageId ?? ''))) return { unsendable: 'the id has only dots' }
    const all = polled.map(pollValues)
    const [first] = all
    if (!first) return { unsendable: 'no messages to poll for' }
    return join === null ? make(first, all) : make(joined(all, join))
  }
}

function pollValues({ messageId, carrierMessageId, to }: PolledMessage): PollValues {
  return {
    id: carrierMessageId ?? '',
    reference: referenceOf(messageId),
    messageId,
    to,
    toDigits: to.replace(/^\+/, ''),
    toNational: nationalNumber(to),
  }
}

function joined(all: PollValues[], between: string): FilledValues {
  return Object.fromEntries(POLL_PLACEHOLDERS.map((name) => [name, { each: all.map((it) => it[name]), between }]))
}

export type PollOutcome = 'reported' | 'nothing' | 'throttled' | 'refused' | 'unreadable' | 'unanswered'

export interface ReadPoll {
  outcome: PollOutcome
  /** The last receipt of each polled message, in order; null without one. */
  receipts: (ReadReceipt | null)[]
  /** For the log. */
  oddity: string | null
}

/** The carrier does not have the message, perhaps not yet. */
const NOT_FOUND_STATUSES = [404, 410]

export function readPoll(
  { status, json }: HttpAnswer,
  polled: readonly PolledMessage[],
  reading: ReceiptReading,
): ReadPoll {
  const none = (outcome: PollOutcome, oddity: string | null = null) => ({
    outcome,
    receipts: polled.map(() => null),
    oddity,
  })
  if (status === 429) return none('throttled')
  if (NOT_FOUND_STATUSES.includes(status)) return none('nothing', `response status ${status}`)
  if (status === 204) return none('nothing')
  if (status < 200 || status > 299) return none('refused', `response status ${status}`)
  if (json === undefined) return none('unreadable', 'response is not JSON')
  const source = { json, form: new URLSearchParams(), query: new URLSearchParams() }
  const { receipts: all, unreadable } = readReceipts(source, reading)
  const receipts = polled.map((it) => all.findLast((receipt) => isAbout(receipt, it, reading)) ?? null)
  if (receipts.some((it) => it !== null)) return { outcome: 'reported', receipts, oddity: null }
  const oddity = unreadable > 0 ? 'response has no readable state' : all.length > 0 ? OTHER_MESSAGES_ONLY : null
  return none('nothing', oddity)
}

const OTHER_MESSAGES_ONLY = 'response is about other messages only'

/** Receipts of other messages are ignored: only the polled ones are expected. */
function isAbout({ reference }: ReadReceipt, message: PolledMessage, { id, reference: ours }: ReceiptReading): boolean {
  if (ours !== null) return reference === referenceOf(message.messageId)
  return id === null || reference === message.carrierMessageId
}
