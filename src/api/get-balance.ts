// GET /sms/balance (§2.3, §4.5): the workspace's money and this client's own counters.
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { House } from '../actions/house.ts'
import { Account } from '../domain/account.ts'
import { MESSAGE_TYPES } from '../domain/message-type.ts'
import { fromE4 } from '../domain/money.ts'
import { readCounters } from '../store/messages.ts'
import { accountState, findWorkspace } from '../store/workspaces.ts'
import { clientOf } from './authenticate.ts'

const answer = z.object({
  balance: z.number(),
  rate: z.object({ transactional: z.number(), otp: z.number(), promotional: z.number() }),
  allowedTypes: z.array(z.enum(MESSAGE_TYPES)),
  counters: z.object({ sent: z.int(), delivered: z.int(), failed: z.int() }),
  workspaceStatus: z.enum(['active', 'pending', 'suspended']),
})

export function mountGetBalance(server: FastifyInstance, house: House): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get('/sms/balance', { schema: { response: { 200: answer } } }, async (request) => {
    const client = clientOf(request)
    const [workspace, counters] = await Promise.all([
      findWorkspace(house.db, { id: client.workspaceId, within: client.workspaceId }),
      readCounters(house.db, client.id),
    ])
    if (!workspace) throw new Error('a client has no workspace')
    const account = new Account(accountState(workspace))
    account.bringUpTo(house.clock.now())
    const { transactional, otp, promotional } = workspace.priceE4
    return {
      balance: fromE4(account.balanceE4),
      rate: { transactional: fromE4(transactional), otp: fromE4(otp), promotional: fromE4(promotional) },
      allowedTypes: workspace.allowedTypes,
      counters,
      workspaceStatus: workspace.status,
    }
  })
}
