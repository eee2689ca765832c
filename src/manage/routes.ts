// The management API: everything the operator and the owners can do.
import type { FastifyInstance } from 'fastify'
import type { Ports } from '../actions/ports.ts'
import type { TryOut } from '../actions/try-out.ts'
import type { IsAllowedAddress } from '../domain/receiver-url.ts'
import { collectEndpoints } from '../http/openapi/endpoint.ts'
import { type DocumentAddress, serveDocument } from '../http/openapi/serve.ts'
import { mountAccount } from './account.ts'
import { mountAuditLog } from './audit-log.ts'
import { authenticateManagers } from './authenticate.ts'
import { mountCarrierCallbacks } from './carrier-callbacks.ts'
import { mountCarrierCaptures } from './carrier-captures.ts'
import { mountCarrierFigures } from './carrier-figures.ts'
import { mountCarrierPresets } from './carrier-presets.ts'
import { mountCarrierPrices } from './carrier-prices.ts'
import { mountCarrierReceipts } from './carrier-receipts.ts'
import { mountCarrierTests } from './carrier-tests.ts'
import { mountCarriers } from './carriers.ts'
import { mountClients } from './clients.ts'
import { mountClock } from './clock.ts'
import { mountCodes } from './codes.ts'
import { mountCredits } from './credits.ts'
import { mountDoctor } from './doctor.ts'
import { mountInbound } from './inbound.ts'
import { mountLinks } from './links.ts'
import { mountListening } from './listening.ts'
import { mountLive } from './live.ts'
import { mountMembers } from './members.ts'
import { mountMessageActs } from './message-acts.ts'
import { mountMessageExport } from './message-export.ts'
import { mountMessages } from './messages.ts'
import { mountMonths } from './months.ts'
import { mountNow } from './now.ts'
import { buildDocument, MANAGEMENT_TITLE } from './openapi.ts'
import { mountOperators } from './operators.ts'
import { mountOwnerTokens } from './owner-tokens.ts'
import { takeTurns } from './owner-turns.ts'
import { mountPumpingAllowlist } from './pumping-allowlist.ts'
import { mountRequests } from './requests.ts'
import { mountRouting } from './routing.ts'
import { mountSecondFactors } from './second-factors.ts'
import { mountService } from './service.ts'
import { mountSessions } from './sessions.ts'
import { mountWaysIn, type Ways } from './sign-in-ways.ts'
import { mountSimulator, type SimulatorPort } from './simulator.ts'
import { mountStart } from './start.ts'
import { mountTemplates } from './templates.ts'
import { mountTrigger, mountTryOut } from './try-out.ts'
import { mountUsage } from './usage.ts'
import { mountWebhookDeliveries } from './webhook-deliveries.ts'
import { mountWhoami } from './whoami.ts'
import { mountWorkspaces } from './workspaces.ts'

export const MANAGE_ROOT = '/api/manage/v1'

export const MANAGEMENT_DOCUMENT: DocumentAddress = { title: MANAGEMENT_TITLE, path: `${MANAGE_ROOT}/openapi.json` }

export interface ManageOptions {
  operatorToken: string
  /** How people come in, and where browsers find the console, where a proxy does not tell. */
  ways: Ways
  /** The operator's exceptions to the addresses no webhook may point to (D31). */
  isAllowedReceiver: IsAllowedAddress
  /** The operator's exceptions to the addresses no carrier over HTTP may have (D50). */
  isAllowedCarrier: IsAllowedAddress
  /** A client can be tried out without its key. */
  tryOut: TryOut
  /** Only where the clock is moved by hand. */
  advanceClock: ((seconds: number) => Promise<Date>) | null
  /** Only where a simulator runs. */
  simulator: SimulatorPort | null
  /** Aborted when the process is about to stop. */
  leaving: AbortSignal
}

export function mountManagement(server: FastifyInstance, ports: Ports, options: ManageOptions): void {
  const endpoints = collectEndpoints(server, MANAGE_ROOT)
  // For everybody, as that of the v1 API: it tells how to ask, and nothing of what is there.
  serveDocument(server, {
    path: MANAGEMENT_DOCUMENT.path,
    publicUrl: options.ways.publicUrl,
    build: (address) => buildDocument(endpoints, { address, server: MANAGE_ROOT }),
  })
  server.register(
    async (app) => {
      const isStillAllowed = authenticateManagers(app, ports, { ...options, ...options.ways })
      takeTurns(app)
      mountWhoami(app, ports)
      mountSessions(app, ports)
      mountLinks(app, ports)
      mountWaysIn(app, ports, options.ways)
      mountAccount(app, ports)
      mountSecondFactors(app, ports)
      mountMembers(app, ports, options.ways)
      mountOperators(app, ports, options.ways)
      mountWorkspaces(app, ports)
      mountCredits(app, ports)
      mountOwnerTokens(app, ports)
      mountClients(app, ports, options.isAllowedReceiver)
      mountTryOut(app, options.tryOut)
      mountWebhookDeliveries(app, ports)
      mountListening(app, ports)
      mountTemplates(app, ports)
      mountMessages(app, ports)
      mountMessageActs(app, ports)
      mountMessageExport(app, ports, { ...options, isStillAllowed })
      mountLive(app, ports, { ...options, isStillAllowed })
      mountRequests(app, ports)
      mountInbound(app, ports)
      mountStart(app, ports, { isSimulated: options.simulator !== null })
      mountCarriers(app, ports, options)
      mountCarrierCaptures(app, ports)
      mountCarrierReceipts(app, ports)
      mountCarrierPresets(app)
      mountCarrierCallbacks(app, ports, options)
      mountCarrierPrices(app, ports)
      mountCarrierFigures(app, ports)
      mountCarrierTests(app, ports)
      mountRouting(app, ports)
      mountService(app, ports)
      mountNow(app, ports, { isSimulated: options.simulator !== null })
      mountDoctor(app, ports)
      mountUsage(app, ports)
      mountMonths(app, ports)
      mountCodes(app, ports)
      mountPumpingAllowlist(app, ports)
      mountAuditLog(app, ports)
      if (options.advanceClock) mountClock(app, options.advanceClock)
      if (options.simulator) {
        mountSimulator(app, ports, options.simulator)
        mountTrigger(app, options.tryOut)
      }
    },
    { prefix: MANAGE_ROOT },
  )
}
