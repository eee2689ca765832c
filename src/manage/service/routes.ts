// Mounts the management API.
import type { FastifyInstance } from 'fastify'
import type { Ports } from '../../actions/ports.ts'
import type { TryOut } from '../../actions/service/try-out.ts'
import { TemplateCache } from '../../actions/templates/template-cache.ts'
import type { IsAllowedAddress } from '../../domain/outbound-address.ts'
import { collectEndpoints } from '../../http/openapi/endpoint.ts'
import { type DocumentAddress, serveDocument } from '../../http/openapi/serve.ts'
import type { TypedServer, ZodTypeProvider } from '../../http/validation.ts'
import { authenticateManagers } from '../authenticate.ts'
import { mountCarrierCallbacks } from '../carriers/carrier-callbacks.ts'
import { mountCarrierCaptures } from '../carriers/carrier-captures.ts'
import { mountCarrierFigures } from '../carriers/carrier-figures.ts'
import { mountCarrierPresets } from '../carriers/carrier-presets.ts'
import { mountCarrierPrices } from '../carriers/carrier-prices.ts'
import { mountCarrierReceipts } from '../carriers/carrier-receipts.ts'
import { mountCarrierTests } from '../carriers/carrier-tests.ts'
import { mountCarriers } from '../carriers/carriers.ts'
import { mountRouting } from '../carriers/routing.ts'
import { mountSimulator, type SimulatorPort } from '../carriers/simulator.ts'
import { mountCodes } from '../codes/codes.ts'
import { mountPumpingAllowlist } from '../codes/pumping-allowlist.ts'
import { mountTrigger, mountTryOut } from '../codes/try-out.ts'
import { ExportLane } from '../export-lane.ts'
import { mountInbound } from '../messages/inbound.ts'
import { mountMessageActs } from '../messages/message-acts.ts'
import { mountMessageExport } from '../messages/message-export.ts'
import { mountMessages } from '../messages/messages.ts'
import { mountSelectedMessages } from '../messages/selected-messages.ts'
import { mountSendMessage } from '../messages/send-message.ts'
import { buildManagementDocument, MANAGEMENT_TITLE } from '../openapi.ts'
import { takeTurns } from '../owner-turns.ts'
import { mountAccount } from '../people/account.ts'
import { mountAuditLog } from '../people/audit-log.ts'
import { mountLinks } from '../people/links.ts'
import { mountMembers } from '../people/members.ts'
import { mountOperators } from '../people/operators.ts'
import { mountOwnerTokens } from '../people/owner-tokens.ts'
import { mountSecondFactors } from '../people/second-factors.ts'
import { mountSessions } from '../people/sessions.ts'
import { mountSignInMethods, type SignInMethods } from '../people/sign-in-methods.ts'
import { mountWhoami } from '../people/whoami.ts'
import { mountTemplates } from '../templates/templates.ts'
import { mountListening } from '../webhooks/listening.ts'
import { mountWebhookDeliveries } from '../webhooks/webhook-deliveries.ts'
import { mountWebhookEndpoints } from '../webhooks/webhook-endpoints.ts'
import { mountClients } from '../workspaces/clients.ts'
import { mountCreditRequests } from '../workspaces/credit-requests.ts'
import { mountCredits } from '../workspaces/credits.ts'
import { mountMoneyExports } from '../workspaces/money-exports.ts'
import { mountMonths } from '../workspaces/months.ts'
import { mountRequests } from '../workspaces/requests.ts'
import { mountStart } from '../workspaces/start.ts'
import { mountUsage } from '../workspaces/usage.ts'
import { mountWorkspaces } from '../workspaces/workspaces.ts'
import { mountArchive } from './archive.ts'
import { mountClock } from './clock.ts'
import { mountDoctor } from './doctor.ts'
import { mountForget } from './forget.ts'
import { mountLive } from './live.ts'
import { mountHistory, mountNow } from './now.ts'
import { mountSearch } from './search.ts'
import { mountService } from './service.ts'

export const MANAGE_ROOT = '/api/manage/v1'

export const MANAGEMENT_DOCUMENT: DocumentAddress = { title: MANAGEMENT_TITLE, path: `${MANAGE_ROOT}/openapi.json` }

interface ManageOptions {
  operatorToken: string
  /** Sign-in methods, and the public address of the console. */
  ways: SignInMethods
  /** Whether a webhook may use an address (D31). */
  isAllowedEndpoint: IsAllowedAddress
  /** Whether an HTTP carrier may use an address (D50). */
  isAllowedCarrier: IsAllowedAddress
  /** Sends messages and test OTPs without an API key. */
  tryOut: TryOut
  /** null: the clock is not manual. */
  advanceClock: ((seconds: number) => Promise<Date>) | null
  /** null: no simulator runs. */
  simulator: SimulatorPort | null
  /** Aborted when the process starts draining. */
  leaving: AbortSignal
}

export function mountManagement(server: FastifyInstance, ports: Ports, options: ManageOptions): void {
  const endpoints = collectEndpoints(server, MANAGE_ROOT)
  // Public, like the document of the v1 API: it contains no data.
  serveDocument(server, {
    path: MANAGEMENT_DOCUMENT.path,
    publicUrl: options.ways.publicUrl,
    build: (address) => buildManagementDocument(endpoints, { address, server: MANAGE_ROOT }),
  })
  server.register(
    async (scope) => {
      const isStillAllowed = authenticateManagers(scope, ports, { ...options, ...options.ways })
      takeTurns(scope, isStillAllowed)
      const app = scope.withTypeProvider<ZodTypeProvider>()
      mountPeople(app, ports, options)
      mountWorkspaceCalls(app, ports, { ...options, isStillAllowed })
      mountCarrierCalls(app, ports, options)
      mountServiceCalls(app, ports, { ...options, isStillAllowed })
    },
    { prefix: MANAGE_ROOT },
  )
}

function mountPeople(app: TypedServer, ports: Ports, options: ManageOptions): void {
  mountWhoami(app, ports)
  mountSessions(app, ports)
  mountLinks(app, ports, options.ways)
  mountSignInMethods(app, ports, options.ways)
  mountAccount(app, ports, options.ways)
  mountSecondFactors(app, ports)
  mountMembers(app, ports, options.ways)
  mountOperators(app, ports, options.ways)
}

type StreamOptions = ManageOptions & { isStillAllowed: ReturnType<typeof authenticateManagers> }

/** For test matches and previews; acceptance has its own cache. */
const MAX_CACHED_TEMPLATES = 20_000

function mountWorkspaceCalls(app: TypedServer, ports: Ports, options: StreamOptions): void {
  mountWorkspaces(app, ports)
  mountCredits(app, ports)
  mountCreditRequests(app, ports)
  mountOwnerTokens(app, ports)
  mountClients(app, ports, options.isAllowedEndpoint)
  mountTryOut(app, options.tryOut)
  mountWebhookDeliveries(app, ports)
  mountWebhookEndpoints(app, ports)
  mountListening(app, ports)
  const templates = new TemplateCache({ maxTemplates: MAX_CACHED_TEMPLATES })
  mountTemplates(app, ports, templates)
  mountSendMessage(app, ports, { ...options, templates })
  mountMessages(app, ports)
  mountMessageActs(app, ports)
  const lane = new ExportLane(ports, options)
  mountMessageExport(app, ports, lane)
  mountSelectedMessages(app, ports)
  mountMoneyExports(app, ports, lane)
  mountLive(app, ports, options)
  mountRequests(app, ports)
  mountInbound(app, ports)
  mountStart(app, ports, { isSimulated: options.simulator !== null })
}

function mountCarrierCalls(app: TypedServer, ports: Ports, options: ManageOptions): void {
  mountCarriers(app, ports, options)
  mountCarrierCaptures(app, ports)
  mountCarrierReceipts(app, ports)
  mountCarrierPresets(app)
  mountCarrierCallbacks(app, ports, options)
  mountCarrierPrices(app, ports)
  mountCarrierFigures(app, ports)
  mountCarrierTests(app, ports)
  mountRouting(app, ports)
}

function mountServiceCalls(app: TypedServer, ports: Ports, options: StreamOptions): void {
  mountService(app, ports)
  mountSearch(app, ports)
  mountForget(app, ports)
  mountArchive(app, ports, options)
  mountNow(app, ports, { isSimulated: options.simulator !== null })
  mountHistory(app, ports)
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
}
