// The management API: everything the operator and the owners can do.
import type { FastifyInstance } from 'fastify'
import type { House } from '../actions/house.ts'
import type { IsAllowedAddress } from '../domain/receiver-url.ts'
import { mountAuditLog } from './audit-log.ts'
import { authenticateManagers, type HouseFor } from './authenticate.ts'
import { mountCarriers } from './carriers.ts'
import { mountClients } from './clients.ts'
import { mountClock } from './clock.ts'
import { mountInbound } from './inbound.ts'
import { mountMessages } from './messages.ts'
import { mountOwnerTokens } from './owner-tokens.ts'
import { mountRouting } from './routing.ts'
import { mountService } from './service.ts'
import { type ListHandsetMessages, mountSimulator } from './simulator.ts'
import { mountTemplates } from './templates.ts'
import { takeTurns } from './turns.ts'
import { mountUsage } from './usage.ts'
import { mountWebhookDeliveries } from './webhook-deliveries.ts'
import { mountWhoami } from './whoami.ts'
import { mountWorkspaces } from './workspaces.ts'

export const MANAGE_ROOT = '/api/manage/v1'

/** The same house, over connections of their own. */
export interface Desks {
  operator: House
  owners: House
  /** Whose token it is must be known before its turn comes: no slow question of another stands before that. */
  traffic: House
}

export interface ManageOptions {
  operatorToken: string
  /** The operator's exceptions to the addresses no webhook may point to (D31). */
  isAllowedReceiver: IsAllowedAddress
  /** Only where the clock is moved by hand. */
  advanceClock: ((seconds: number) => Promise<Date>) | null
  /** Only where a simulator runs. */
  simulatorMessages: ListHandsetMessages | null
}

export function mountManagement(server: FastifyInstance, desks: Desks, options: ManageOptions): void {
  const { operator, owners, traffic } = desks
  const houseFor: HouseFor = (request) => (request.actor?.kind === 'owner' ? owners : operator)
  server.register(
    async (app) => {
      authenticateManagers(app, traffic, options.operatorToken)
      takeTurns(app)
      mountWhoami(app, houseFor)
      mountWorkspaces(app, houseFor)
      mountOwnerTokens(app, operator)
      mountClients(app, houseFor, options.isAllowedReceiver)
      mountWebhookDeliveries(app, houseFor)
      mountTemplates(app, houseFor)
      mountMessages(app, houseFor)
      mountInbound(app, houseFor)
      mountCarriers(app, operator)
      mountRouting(app, operator)
      mountService(app, operator)
      mountUsage(app, houseFor)
      mountAuditLog(app, houseFor)
      if (options.advanceClock) mountClock(app, options.advanceClock)
      if (options.simulatorMessages) mountSimulator(app, options.simulatorMessages)
    },
    { prefix: MANAGE_ROOT },
  )
}
