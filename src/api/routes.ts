// Mounts the v1 API (§4): six endpoints behind one admission, the public coverage, and the OpenAPI document.
import type { FastifyInstance } from 'fastify'
import { createVerification } from '../actions/codes/verify-code.ts'
import { createAcceptance } from '../actions/messages/accept-messages.ts'
import type { Ports } from '../actions/ports.ts'
import type { Lanes } from '../actions/service/try-out.ts'
import { createAdmission } from '../actions/workspaces/admit-request.ts'
import { RequestLog } from '../actions/workspaces/log-requests.ts'
import { throttleScope } from '../domain/network.ts'
import { hashSecret, maskUnknownKey, shownKeyPrefix } from '../domain/workspaces/api-key.ts'
import type { PublicUrl } from '../http/address.ts'
import { collectEndpoints } from '../http/openapi/endpoint.ts'
import { type DocumentAddress, serveDocument } from '../http/openapi/serve.ts'
import type { Gate } from '../http/shed.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import type { Batching } from '../runtime/batcher.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { authenticateClients } from './authenticate.ts'
import { mountGetBalance } from './get-balance.ts'
import { mountGetCoverage, mountPublicCoverage } from './get-coverage.ts'
import { mountGetMessage } from './get-message.ts'
import { API_TITLE, buildApiDocument } from './openapi/document.ts'
import { mountSendMessage } from './send-message.ts'
import { mountSendOtp } from './send-otp.ts'
import { mountVerifyOtp } from './verify-otp.ts'

const SERVER = '/api/sms'

const API_ROOT = `${SERVER}/v1`

export const API_DOCUMENT: DocumentAddress = { title: API_TITLE, path: `${API_ROOT}/openapi.json` }

/** Endpoints that use the accept lane. */
const SENDS = new Map([
  [`${API_ROOT}/sms/send`, 'text' as const],
  [`${API_ROOT}/sms/otp/send`, 'otp' as const],
])

interface ApiOptions {
  log: Log
  metrics: Metrics
  batching: Batching
  gate: Gate
  publicUrl: PublicUrl
}

/** Returns the lanes, which messages and test OTPs of the management API also use. */
export function mountApi(server: FastifyInstance, ports: Ports, options: ApiOptions): Lanes {
  const { log, metrics, batching, gate, publicUrl } = options
  const endpoints = collectEndpoints(server, SERVER)
  serveDocument(server, {
    path: API_DOCUMENT.path,
    publicUrl,
    build: (address) => buildApiDocument(endpoints, { address, server: SERVER, vendor: ports.vendor }),
  })
  const dropped = metrics.counter('request_log_dropped_total', 'Requests missing from the request log')
  const acceptMessage = createAcceptance(ports, { log, batching, metrics })
  const admitRequest = createAdmission(ports, batching, metrics)
  const verifyCode = createVerification(ports, batching, metrics)
  // A request that would be refused for overload is refused before the key look-up, by the owner that the key had at its last
  // look-up. One workspace's queue never refuses another workspace (D43), and an unknown key goes to the look-up.
  gate.isCrowded = () => acceptMessage.isCrowded() || admitRequest.isCrowded()
  gate.isShutFor = ({ method, url = '', headers: { 'x-api-key': apiKey } }) => {
    const kind = SENDS.get(url)
    if (method !== 'POST' || kind === undefined || typeof apiKey !== 'string') return false
    if (!gate.isCrowded()) return false
    const apiKeyHash = hashSecret(apiKey)
    const owner = admitRequest.ownerOf(apiKeyHash)
    return owner !== undefined && (admitRequest.isOverloaded(apiKeyHash) || acceptMessage.isOverloaded(owner, kind))
  }
  server.register(
    async (scope) => {
      authenticateClients(scope, admitRequest)
      const app = scope.withTypeProvider<ZodTypeProvider>()
      logRequests(scope, new RequestLog(ports, log, (requests) => dropped.inc(requests)))
      mountSendMessage(app, ports, acceptMessage)
      mountSendOtp(app, ports, acceptMessage)
      mountVerifyOtp(app, ports, verifyCode)
      mountGetMessage(app, ports)
      mountGetBalance(app, ports)
      mountGetCoverage(app, ports)
    },
    { prefix: API_ROOT },
  )
  mountPublicCoverage(server.withTypeProvider<ZodTypeProvider>(), ports)
  return { admitRequest, acceptMessage, verifyCode }
}

/** Requests without a valid key belong to no workspace: they are counted by address. */
function logRequests(app: FastifyInstance, log: RequestLog): void {
  app.addHook('onResponse', ({ id, method, keyOf, route, headers, ip }, reply, done) => {
    const { 'x-api-key': apiKey } = headers
    const key = typeof apiKey === 'string' ? apiKey : ''
    if (keyOf) {
      log.note({
        id,
        workspaceId: keyOf.workspaceId,
        clientId: keyOf.id,
        keyHint: shownKeyPrefix(key),
        method,
        route,
        status: reply.statusCode,
        code: reply.refusalCode ?? '',
        milliseconds: Math.round(reply.elapsedTime),
      })
    } else if (reply.statusCode === 401) {
      const keyHint = key === '' ? '' : maskUnknownKey(key)
      log.noteUnknownKey({ id, address: throttleScope(ip), keyHint, method, route })
    }
    done()
  })
  app.addHook('onClose', () => log.close())
}
