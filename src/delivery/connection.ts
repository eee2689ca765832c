// The interface between delivery and a protocol: a connection submits segments and passes on reports and replies.
import type { BindHealth, BindMode, BindName } from '../domain/carriers/bind.ts'
import type { CarrierFields, TestStep } from '../domain/carriers/carrier.ts'
import type { SenderAddress } from '../domain/carriers/sender-address.ts'
import type { MessageType } from '../domain/message-type.ts'
import type { InboundPart } from '../domain/messages/inbound.ts'
import type { Report } from '../domain/messages/report.ts'
import {
  interpretUnanswered,
  type SubmissionAnswer,
  type SubmissionName,
  type UnansweredOutcome,
  type Verdict,
} from '../domain/messages/submission.ts'

export interface Connection extends BindName {
  readonly mode: BindMode
  readonly health: BindHealth
  /** Resolves after the first connection attempt. */
  readonly firstAttempt: Promise<void>
  /** The window size, and how many more submissions fit now; both are 0 while the connection cannot submit. */
  readonly places: number
  readonly room: number
  /** Throws only before anything is written, and then calls nothing. */
  submit(segment: OutgoingSegment, callbacks: SubmissionCallbacks): void
  /** Checks the carrier over the current link; settles within seconds. */
  enquire(): Promise<EnquiryResult>
  /** Drains the current link and opens a new one. */
  restart(reason: string): void
  /** Accepts nothing new, waits for in-flight submissions and unbinds. */
  close(): Promise<void>
  /** Closes without waiting for responses. */
  abort(): void
}

/** Callbacks instead of a promise: there is a submission for every segment. They must not throw. */
export interface SubmissionCallbacks {
  /** Called exactly once, at the latest after the response timeout. */
  onResult(submitted: SubmissionResult): void
  /** Called for a response after an unknown outcome. */
  onLateAnswer(submitted: SubmissionResult): void
}

export type EnquiryResult = ({ milliseconds: number } | { fault: string }) & {
  /** The steps of a test connection. */
  steps?: TestStep[]
}

/** One segment of a message, independent of the protocol. */
export interface OutgoingSegment {
  messageId: string
  type: MessageType
  to: string
  source: SenderAddress
  /** The text of the whole message. */
  text: string
  segment: number
  /** Also 1 for a long message that is sent in one piece. */
  ofSegments: number
  expiresAt: Date
  /** D56: whether to request a delivery receipt. */
  requestsReceipt: boolean
  /** D57: carrier fields of the template and the workspace. */
  fields: CarrierFields
}

/** The result of a submission. */
export interface SubmissionResult extends Verdict, Omit<SubmissionAnswer, keyof SubmissionName> {
  /** The carrier's status as text; null without a response. */
  said: string | null
  /** The protocol's status name, as a metric label of low cardinality. */
  statusName?: string | undefined
  /** Why there is no readable response, for carrier tests. */
  fault?: string | null
}

/** Classifies a response that is unreadable, or that rejects for a reason of our account or the carrier. */
export function classifyProblem({
  outcome,
  said,
  sign,
  alarm,
  fault = null,
}: SubmissionResult): 'unreadableAnswers' | 'accountRejections' | null {
  if (said === null) return null
  if (fault !== null) return 'unreadableAnswers'
  return outcome !== 'accepted' && (sign === 'refuses' || alarm) ? 'accountRejections' : null
}

export function unanswered(outcome: UnansweredOutcome): SubmissionResult {
  return { ...interpretUnanswered(outcome), said: null, commandStatus: null, carrierMessageId: null, reference: null }
}

/** The result of a submission that never reached the carrier. */
export function unsent(kind: 'not_written' | 'unwritable' | 'unready'): SubmissionResult {
  return unanswered({ kind })
}

/** The callbacks of a connection. */
export interface ConnectionEvents {
  /** The carrier gets an acknowledgement after this resolves, and an error if it throws, so that it delivers again. */
  receive(delivered: Delivered): Promise<void>
  /** The connection state changed. */
  changed(): void
  /** A frame was sent or received. `read` redacts secrets and runs only during a capture. */
  onFrame?(read: () => ConnectionFrame): void
  /** The carrier sent a response without a matching request. */
  onUnexpectedResponse?(): void
}

export interface Delivered {
  read(): ReceivedEvent
  /** Equal for deliveries with the same content. */
  fingerprint(): string
  link: LinkState
}

/** A report or a reply from a carrier. */
export type ReceivedEvent =
  /** `isKnown`: the meaning of the state is known. */
  { kind: 'report'; report: Report; isKnown: boolean } | { kind: 'reply'; reply: Omit<InboundPart, 'answeredAt'> }

/** One frame of a capture (D60), without passwords and without digits of texts, which may be OTPs. */
export interface ConnectionFrame {
  outgoing: boolean
  bytes: Buffer
  /** The fields by name. */
  decoded: Record<string, unknown>
  /** The number of the call, for protocols with calls. */
  exchange?: number
}

/** Identifies one period in which a connection was up. */
export interface LinkState {
  readonly state: string
}
