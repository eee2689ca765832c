// GET /sms/balance (§2.3, §4.5): the workspace's money and this client's own counters.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../actions/ports.ts'
import { MESSAGE_TYPES } from '../domain/message-type.ts'
import { fromE4 } from '../domain/money.ts'
import { Account } from '../domain/workspaces/account.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { readCounters } from '../store/messages/messages.ts'
import { findWorkspace, toAccountState } from '../store/workspaces/workspaces.ts'
import { ADMISSION_REFUSALS, clientOf } from './authenticate.ts'
import type { ApiEndpointSchema } from './openapi/headers.ts'

const answer = z
  .object({
    balance: z
      .number()
      .describe('Credit left, in the currency of the workspace, for all its clients. It expires with the month.'),
    currency: z
      .string()
      .describe('The currency of the workspace, ISO 4217: of the balance and of every price and cost.'),
    rate: z
      .object({ transactional: z.number(), otp: z.number(), promotional: z.number() })
      .describe('The price per segment of each type.'),
    allowedTypes: z.array(z.enum(MESSAGE_TYPES)).describe('What the workspace may send; other types are `forbidden`.'),
    counters: z
      .object({
        sent: z.int().describe('Messages that a carrier took.'),
        delivered: z.int(),
        failed: z.int().describe('Messages that ended as failed, rejected or undelivered.'),
      })
      .describe("This API client's own totals."),
    workspaceStatus: z.enum(['active', 'pending', 'suspended']).describe('Only an active workspace can send.'),
  })
  .meta({
    title: 'Balance',
    description: 'The balance, the prices and the counters.',
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
  summary: 'Read the balance',
  description: 'The credit and prices of the workspace, and the counters of this API client.',
  response: { 200: answer },
  refusals: ADMISSION_REFUSALS,
} as const satisfies ApiEndpointSchema

export function mountGetBalance(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

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
