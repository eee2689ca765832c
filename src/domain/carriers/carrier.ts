// A carrier: what every carrier has, and the settings of the protocol it speaks.
import type { Receipts } from '../messages/report.ts'
import type { CommonSettings } from './common-settings.ts'
import type { HttpDescription } from './http/description.ts'
import { isAtOperator } from './http/read-receipts.ts'
import type { SenderRules } from './sender-address.ts'
import type { SmppSettings } from './smpp/smpp-settings.ts'

/** D48, D50: the values of the secrets are sealed, their names are not. */
export interface HttpSettings {
  description: HttpDescription
  secretNames: string[]
  /** D52: the hash of the callback address; null where the carrier sends no callbacks. */
  callbackHash: string | null
}

export type ProtocolSettings = { kind: 'smpp'; smpp: SmppSettings } | { kind: 'http'; http: HttpSettings }

export type CarrierSettings = CommonSettings & ProtocolSettings

export type Carrier = CarrierSettings & {
  id: string
  /** The password and the TLS key of a carrier over SMPP, the named secrets of one over HTTP. */
  secretsSealed: Buffer
  createdAt: Date
  updatedAt: Date
}

export type SmppCarrier = Extract<Carrier, { kind: 'smpp' }>

export type HttpCarrier = Extract<Carrier, { kind: 'http' }>

/** Named values of a template or a workspace that carriers ask for, such as the ids of India's DLT. */
export type CarrierFields = Record<string, string>
export const MOST_CARRIER_FIELDS = 10

/** How messages are prepared for a carrier, whatever it speaks. */
export interface SubmissionRules {
  /** A long message goes in one submission. */
  inOnePiece: boolean
  senderRules: SenderRules
  /** D56: which segments ask for a receipt. */
  receipts: Receipts
  /** D57: whether submissions carry fields of templates and workspaces. */
  wantsFields: boolean
}

export function submissionRules(carrier: Carrier): SubmissionRules {
  const { defaultSender } = carrier
  switch (carrier.kind) {
    case 'smpp': {
      const { longMessages, senderRewrites, allowedSenders, receipts, tlvs } = carrier.smpp
      return {
        inOnePiece: longMessages === 'payload',
        senderRules: { defaultSender, senderRewrites, allowedSenders },
        receipts,
        wantsFields: tlvs.some((it) => it.field !== null),
      }
    }
    case 'http':
      return {
        inOnePiece: true,
        senderRules: { defaultSender, senderRewrites: {}, allowedSenders: [] },
        // A carrier that has no way to report never will.
        receipts: carrier.http.description.receipts === null ? 'none' : 'each',
        wantsFields: false,
      }
    default:
      throw carrier satisfies never
  }
}

/** D13: whether a report with this state may be the carrier's last, though it is not final. */
export function mayStaySent(carrier: Carrier, state: string): boolean {
  if (carrier.kind !== 'http') return false
  const { receipts } = carrier.http.description
  return receipts !== null && isAtOperator(receipts.reading, state)
}

export interface TestStep {
  /** `address`: its name was resolved, and may be dialled (D50). `connection`, `tls`. `answer`: what it said to the message. */
  step: (typeof TEST_STEPS)[number]
  /** What it came to, or what was said; empty where nothing was. */
  told: string
  fault: string | null
  milliseconds: number | null
}

export const TEST_STEPS = ['address', 'connection', 'tls', 'answer'] as const

export function isLeased(until: Date | null, now: Date): boolean {
  return until !== null && until > now
}
