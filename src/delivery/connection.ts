// All that delivery knows of what a carrier speaks: a connection that takes submissions and says what became of them, and that
// hands over what the carrier tells by itself. Each protocol implements it in a folder of its own.
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
  /** For people to see. */
  readonly health: BindHealth
  /** Resolves when the first try to connect has come out. */
  readonly tried: Promise<void>
  /** Submissions that may be under way at once, and how many more would go out now; both are 0 while none can. */
  readonly places: number
  readonly room: number
  /**
   * Settles exactly once, whatever happens to the link, and never for want of an answer later than that may take. After an outcome
   * of unknown an answer may still come: `onLateAnswer` hears it. Throws only before anything was written.
   */
  submit(segment: OutgoingSegment, onLateAnswer: (submitted: Submitted) => void): Promise<Submitted>
  /** Asks the carrier over the link that stands whether it is there; settles within seconds. */
  enquire(): Promise<Enquired>
  /** Ends the link that stands, as close does, and makes a new one. */
  restart(reason: string): void
  /** Takes nothing new, waits for what is under way, says goodbye. */
  close(): Promise<void>
  /** Waits for nobody any more. */
  hangUp(): void
}

/** How long the carrier took to say that it is there, or why nobody knows. */
export type Enquired = ({ milliseconds: number } | { fault: string }) & {
  /** On the way there, where a connection is made for it. */
  steps?: TestStep[]
}

/** One segment of a message, ready but for its protocol. */
export interface OutgoingSegment {
  messageId: string
  type: MessageType
  to: string
  source: SenderAddress
  /** The text of the whole message. */
  text: string
  segment: number
  /** 1 also for a long message that goes in one piece. */
  ofSegments: number
  expiresAt: Date
  /** D56: whether the carrier is asked to report on it. */
  requestsReceipt: boolean
  /** D57: what its template and its workspace say to carriers. */
  fields: CarrierFields
}

/** How a submission came out, in our words and in the carrier's. */
export interface Submitted extends Verdict, Omit<SubmissionAnswer, keyof SubmissionName> {
  /** The carrier's word on it, for people to read; null where it said nothing. */
  said: string | null
  /** What the protocol calls the status of the answer, for metrics: one name of few. */
  statusName?: string | undefined
  /** Why there is no answer, or why it could not be read, for whoever tests the carrier; of what is clear, nothing. */
  fault?: string | null
}

/** Whether an answer could not be read, or denies a message for a reason that lies with our account or with the carrier. */
export function troubleIn({
  outcome,
  said,
  sign,
  alarm,
  fault = null,
}: Submitted): 'unreadableAnswers' | 'accountRejections' | null {
  if (said === null) return null
  if (fault !== null) return 'unreadableAnswers'
  return outcome !== 'accepted' && (sign === 'refuses' || alarm) ? 'accountRejections' : null
}

export function unanswered(outcome: UnansweredOutcome): Submitted {
  return { ...interpretUnanswered(outcome), said: null, commandStatus: null, carrierMessageId: null, reference: null }
}

/** How a submission came out that never reached the carrier. */
export function unsent(kind: 'not_written' | 'unwritable' | 'unready'): Submitted {
  return unanswered({ kind })
}

/** What a connection calls. */
export interface ConnectionEvents {
  /** The carrier is told that we have it once this has returned; where it throws, that it shall say it again later. */
  hear(delivered: Delivered): Promise<void>
  /** It was connected, or is not any more. */
  changed(): void
  /** Something went over the wire; `read` says what, without secrets, and is called only where somebody looks. */
  exchanged?(read: () => Exchanged): void
  /** The carrier answered what nobody asked. */
  strayed?(): void
}

export interface Delivered {
  read(): Word
  /** The same for what says the same. */
  fingerprint(): string
  link: Link
}

/** What a carrier tells by itself. */
export type Word =
  /** `isKnown`: what its state means is known. */
  { kind: 'report'; report: Report; isKnown: boolean } | { kind: 'reply'; reply: Omit<InboundPart, 'answeredAt'> }

/** One frame of a capture (D60): no password, and no digit of a text, which may be an OTP. */
export interface Exchanged {
  outgoing: boolean
  bytes: Buffer
  /** Its fields by their names. */
  decoded: Record<string, unknown>
  /** Which of the calls of this connection it belongs to, where there are calls. */
  exchange?: number
}

/** One life of a connection. */
export interface Link {
  readonly state: string
}
