// A carrier: the common settings, and the settings of its protocol.
import type { Receipts } from '../messages/report.ts'
import type { CommonSettings } from './common-settings.ts'
import type { HttpDescription } from './http/description.ts'
import { isAtOperator } from './http/read-receipts.ts'
import type { SenderRules } from './sender-address.ts'
import type { SmppSettings } from './smpp/smpp-settings.ts'

/** D48, D50: the values of the secrets are encrypted, their names are not. */
export interface HttpSettings {
  description: HttpDescription
  secretNames: string[]
  /** D52: the hash of the callback token; null if the carrier sends no callbacks. */
  callbackHash: string | null
}

export type ProtocolSettings = { kind: 'smpp'; smpp: SmppSettings } | { kind: 'http'; http: HttpSettings }

export type CarrierSettings = CommonSettings & ProtocolSettings

export type Carrier = CarrierSettings & {
  id: string
  /** The password and TLS key of an SMPP carrier, or the named secrets of an HTTP carrier. */
  secretsSealed: Buffer
  createdAt: Date
  updatedAt: Date
}

export type SmppCarrier = Extract<Carrier, { kind: 'smpp' }>

export type HttpCarrier = Extract<Carrier, { kind: 'http' }>

/** Named values of a template or a workspace that carriers require, for example the ids of India's DLT. */
export type CarrierFields = Record<string, string>
export const MAX_CARRIER_FIELDS = 10

/** How to prepare messages for a carrier of either protocol. */
export interface SubmissionRules {
  /** A long message is one submission. */
  inOnePiece: boolean
  senderRules: SenderRules
  /** D56: which segments request a receipt. */
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
        // A carrier without a receipt channel never reports.
        receipts: carrier.http.description.receipts === null ? 'none' : 'each',
        wantsFields: false,
      }
    default:
      throw carrier satisfies never
  }
}

/** D13: whether a report with this state may be the last one, although it is not final. */
export function canStaySent(carrier: Carrier, state: string): boolean {
  if (carrier.kind !== 'http') return false
  const { receipts } = carrier.http.description
  return receipts !== null && isAtOperator(receipts.reading, state)
}

export interface TestStep {
  /** `address`: DNS and the address check (D50). `answer`: the response to the message. */
  step: (typeof TEST_STEPS)[number]
  /** The result or the response; empty without one. */
  detail: string
  fault: string | null
  milliseconds: number | null
}

export const TEST_STEPS = ['address', 'connection', 'tls', 'answer'] as const

export function isLeased(until: Date | null, now: Date): boolean {
  return until !== null && until > now
}
