// Previews a text message before it is complete (§4.1): by the rules of acceptance, each part on its own, without caps, routes and charges.
import type { MessageType } from '../message-type.ts'
import { costE4 } from '../money.ts'
import type { ReadPhoneNumber } from '../phone-number.ts'
import { Refusal, refuse } from '../refusals.ts'
import { type Encoding, measureText } from '../text-encoding.ts'
import { Account } from '../workspaces/account.ts'
import { refuseInactive } from '../workspaces/workspace.ts'
import { checkBalance, checkNumber, checkType, typeOf } from './acceptance.ts'
import { contentTextOf } from './request-text.ts'
import type { SendingClient, TextRequest, WorkspaceFacts } from './send-request.ts'

/** Parts that are not entered yet are null. */
interface UnfinishedMessage extends Pick<TextRequest, 'type' | 'senderId'> {
  client: SendingClient & { disabledAt: Date | null }
  number: ReadPhoneNumber | null
  content: TextRequest['content'] | null
}

export interface MessagePreview {
  /** null if it is missing or cannot receive SMS. */
  number: { e164: string; country: string } | null
  type: MessageType
  sender: string
  /** null if it is missing or cannot be rendered. */
  text: { text: string; encoding: Encoding; segments: number; costE4: number } | null
  balanceE4: number
  /** Every reason why the send would be refused now. */
  refusals: Refusal[]
}

export function previewMessage(
  { client, number, content, type: named, senderId }: UnfinishedMessage,
  { workspace, smsEnabled, now }: { workspace: WorkspaceFacts; smsEnabled: boolean; now: Date },
): MessagePreview {
  const type = typeOf({ type: named, content }, workspace)
  const checked = number && checkNumber(number, client, workspace)
  const rendered = content && contentTextOf(content, type, workspace)
  // A text that is refused still has a length.
  const measured =
    rendered instanceof Refusal
      ? content && 'text' in content && { text: content.text, ...measureText(content.text) }
      : rendered
  const text = measured ? { ...measured, costE4: costE4(workspace.priceE4[type], measured.segments) } : null
  const account = Account.at(now, workspace.account)
  const results = [
    refuseInactive(client.workspaceStatus),
    client.disabledAt && refuse('client_disabled'),
    smsEnabled ? null : refuse('sms_disabled'),
    checkType(type, client, workspace),
    checked,
    rendered,
    text && client.mode === 'live' ? checkBalance(account, text.costE4) : null,
  ]
  return {
    number: number?.ok ? { e164: number.e164, country: number.country } : null,
    type,
    sender: senderId ?? client.defaultSender,
    text: text && { text: text.text, encoding: text.encoding, segments: text.segments, costE4: text.costE4 },
    balanceE4: account.balanceE4,
    refusals: results.filter((it) => it instanceof Refusal),
  }
}
