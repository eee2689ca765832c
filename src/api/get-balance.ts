// GET /sms/balance (§2.3, §4.5): the balance of the workspace and the counters of the client.
import { z } from 'zod'
import type { Ports } from '../actions/ports.ts'
import { MESSAGE_TYPES } from '../domain/message-type.ts'
import { fromE4 } from '../domain/money.ts'
import { Account } from '../domain/workspaces/account.ts'
import type { TypedServer } from '../http/validation.ts'
import { readCounters } from '../store/messages/messages.ts'
import { findWorkspace, toAccountState } from '../store/workspaces/workspaces.ts'
import { ADMISSION_REFUSALS, clientOf } from './authenticate.ts'
import type { ApiEndpointSchema } from './openapi/headers.ts'

const answer = z
  .object({
    balance: z
      .number()
      .describe('Remaining credit of the workspace, for all its clients. It expires at the end of the month.'),
    currency: z.string().describe('Currency of the balance and of all prices and costs (ISO 4217).'),
    rate: z
      .object({ transactional: z.number(), otp: z.number(), promotional: z.number() })
      .describe('Price per segment by message type.'),
    allowedTypes: z
      .array(z.enum(MESSAGE_TYPES))
      .describe('Message types that the workspace may send. Other types are `forbidden`.'),
    counters: z
      .object({
        sent: z.int().describe('Messages that a carrier accepted.'),
        delivered: z.int(),
        failed: z.int().describe('Messages with the final status failed, rejected or undelivered.'),
      })
      .describe('Totals of this API client.'),
    workspaceStatus: z.enum(['active', 'pending', 'suspended']).describe('Only an active workspace can send.'),
  })
  .meta({
    title: 'Balance',
    description: 'Balance, prices and counters.',
    samples: {
      Balance: {
        balance: 8498.5,
        currency: 'NPR',
        rate: { transactional: 1.5, otp: 1.2, promotional: 1 },
        allowedTypes: ['transactional', 'otp'],
        counters: { sent: 981, delivered: 964, failed: 17 },
        workspaceStatus: 'active',
      },
    },
  })

const schema = {
  operationId: 'getBalance',
  tag: 'Account',
  summary: 'Get the balance',
  description: 'Credit and prices of the workspace, and counters of this API client.',
  response: { 200: answer },
  refusals: ADMISSION_REFUSALS,
} as const satisfies ApiEndpointSchema

export function mountGetBalance(app: TypedServer, ports: Ports): void {
  app.get('/sms/balance', { schema }, async (request) => {
    const client = clientOf(request)
    const [workspace, counters] = await Promise.all([
      findWorkspace(ports.db, { id: client.workspaceId, within: client.workspaceId }),
      readCounters(ports.db, client.id),
    ])
    if (!workspace) throw new Error('a client has no workspace')
    const account = Account.at(ports.clock.now(), toAccountState(workspace))
    const { transactional, otp, promotional } = workspace.priceE4
    return {
      balance: fromE4(account.balanceE4),
      currency: workspace.currency,
      rate: { transactional: fromE4(transactional), otp: fromE4(otp), promotional: fromE4(promotional) },
      allowedTypes: workspace.allowedTypes,
      counters,
      workspaceStatus: workspace.status,
    }
  })
}
