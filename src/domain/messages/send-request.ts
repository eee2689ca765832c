// The request to send a message (§4.1, §4.2), and the facts about its workspace.

import type { PumpingGuardMode } from '../codes/pumping.ts'
import type { MessageType } from '../message-type.ts'
import type { ReadPhoneNumber } from '../phone-number.ts'
import type { ParsedTemplate } from '../templates/template.ts'
import type { TemplateIndex } from '../templates/template-index.ts'
import type { AccountState } from '../workspaces/account.ts'
import type { WorkspaceStatus } from '../workspaces/workspace.ts'
import type { Idempotency } from './idempotency.ts'

/** The client of a request, as loaded by its key. */
export interface SendingClient {
  id: string
  workspaceId: string
  mode: 'live' | 'test'
  brandName: string
  defaultSender: string
  onlyTypes: MessageType[] | null
  onlyPrefixes: string[] | null
  dailyCap: number | null
  hourlyCapPerNumber: number | null
  /** When that cap was set. */
  hourlyCapSince: Date | null
  pumpingGuard: PumpingGuardMode
  workspaceStatus: WorkspaceStatus
}

interface CommonRequest {
  client: SendingClient
  messageId: string
  number: ReadPhoneNumber
  senderId: string | null
  /** null without an Idempotency-Key. */
  idempotency: Idempotency | null
}

export interface TextRequest extends CommonRequest {
  kind: 'text'
  type: MessageType | null
  content: FreeText | TemplateContent
}

export interface FreeText {
  text: string
  /** D69: the template of the resent message, which stays valid while it is approved. */
  keptTemplateId?: string | null
}

export interface TemplateContent {
  templateId: string
  variables: Record<string, string | number>
}

export interface OtpRequest extends CommonRequest {
  kind: 'otp'
  otpId: string
  purpose: string
  endUserScope: string | null
  /** How long the calling address has to wait, from admission; 0 if it need not. */
  callerWaitSeconds: number
}

export type SendRequest = TextRequest | OtpRequest

export interface ApprovedTemplate {
  name: string
  type: MessageType
  template: ParsedTemplate
}

export interface WorkspaceFacts {
  account: AccountState
  priceE4: Record<MessageType, number>
  allowedTypes: MessageType[]
  allowedCountries: string[]
  templatesRequired: boolean
  templates: ReadonlyMap<string, ApprovedTemplate>
  templateIndex: Record<MessageType, TemplateIndex>
}
