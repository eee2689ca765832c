// The response schema and view of a message, with masked numbers and texts where the role requires it.
import { z } from 'zod'
import { chargedE4, FAILURE_CODES, MESSAGE_STATUSES } from '../../domain/message-status.ts'
import { fromE4 } from '../../domain/money.ts'
import {
  DELETED_TEXT,
  HIDDEN_CODE,
  HIDDEN_TEXT,
  shownMessageText,
  shownNumber,
  type Viewer,
} from '../../domain/people/masking.ts'
import { time } from '../../http/time.ts'
import type { ListedMessage } from '../../store/messages/messages.ts'
import { messageType } from '../fields.ts'

export const messageAnswer = z
  .object({
    id: z.uuid(),
    workspaceId: z.uuid(),
    clientId: z.uuid(),
    to: z.string().describe('Recipient. People see it masked, such as `+97798••••699`.'),
    from: z.string(),
    text: z
      .string()
      .describe(
        `\`${HIDDEN_CODE}\` for an OTP; \`${DELETED_TEXT}\` after its retention; \`${HIDDEN_TEXT}\` for callers who may not see texts.`,
      ),
    type: messageType,
    encoding: z.enum(['GSM7', 'UCS2']),
    segments: z.int(),
    cost: z.number(),
    charged: z.number().describe('Amount paid: 0 for test messages and refunds.'),
    status: z.enum(MESSAGE_STATUSES),
    error: z.enum(['', ...FAILURE_CODES]),
    attempts: z.int(),
    dlr: z
      .object({ status: z.string(), code: z.string(), raw: z.string(), at: z.iso.datetime() })
      .nullable()
      .describe('The latest delivery receipt.'),
    resentAs: z.uuid().nullable().describe('The new message, if this failed message was resent.'),
    resentFrom: z.uuid().nullable().describe('The failed message that this message is a resend of.'),
    submittedAt: time.nullable(),
    sentAt: time.nullable(),
    deliveredAt: time.nullable(),
    failedAt: time.nullable(),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ title: 'Message' })

export type MessageAnswer = z.input<typeof messageAnswer>

export const serviceMessageAnswer = messageAnswer
  .extend({ workspaceName: z.string(), currency: z.string().describe('Currency of the cost.') })
  .meta({ title: 'ServiceMessage' })

export function messageView(message: ListedMessage, viewer: Viewer): MessageAnswer {
  const { to, sender, costE4, submissions: attempts, ...rest } = message
  const money = { cost: fromE4(costE4), charged: fromE4(chargedE4(message)) }
  const text = shownMessageText(message, viewer)
  return { ...rest, to: shownNumber(to, viewer), from: sender, text, ...money, attempts }
}
