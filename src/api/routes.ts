// The v1 API (§4): six endpoints behind one door; beside it the public coverage and the description of them all.
import type { FastifyInstance } from 'fastify'
import { createAcceptance } from '../actions/accept-messages.ts'
import { createAdmission } from '../actions/admit-request.ts'
import type { House } from '../actions/house.ts'
import { createVerification } from '../actions/verify-code.ts'
import { hashApiKey } from '../domain/api-key.ts'
import type { Gate } from '../http/shed.ts'
import type { Batching } from '../runtime/batcher.ts'
import type { Log } from '../runtime/log.ts'
import { authenticateClients } from './authenticate.ts'
import { mountGetBalance } from './get-balance.ts'
import { mountGetCoverage, mountPublicCoverage } from './get-coverage.ts'
import { mountGetMessage } from './get-message.ts'
import { collectEndpoints } from './openapi/endpoint.ts'
import { serveDocument, serveReference } from './openapi/serve.ts'
import { mountSendMessage } from './send-message.ts'
import { mountSendOtp } from './send-otp.ts'
import { mountVerifyOtp } from './verify-otp.ts'

/** What is left in the buckets of the request rate is worth no wait for the disk. */
const DOOR = { connections: 1, isForgetful: true }

const SERVER = '/api/sms'
const API_ROOT = `${SERVER}/v1`

/** What waits in the accept lane. */
const SENDS = new Set(['/sms/send', '/sms/otp/send'].map((path) => API_ROOT + path))

export interface ApiOptions {
  log: Log
  batching: Batching
  gate: Gate
}

export function mountApi(server: FastifyInstance, house: House, { log, batching, gate }: ApiOptions): void {
  const document = { path: `${API_ROOT}/openapi.json`, server: SERVER, vendor: house.vendor }
  serveDocument(server, collectEndpoints(server), document)
  serveReference(server, document)
  const acceptMessage = createAcceptance(house, log, batching)
  const door = house.db.beside(DOOR)
  server.addHook('onClose', async () => {
    await Promise.all([door.close(), acceptMessage.close()])
  })
  const admitRequest = createAdmission(house, door, batching)
  // Overload must cost little, so who would be refused anyway is told before the look: nothing is granted by whose key it was at the
  // last one, and nobody is told so for what another workspace waits for (D43). Who is new here comes in.
  gate.isCrowded = () => acceptMessage.isCrowded() || admitRequest.isCrowded()
  gate.isShutFor = ({ method, url = '', headers: { 'x-api-key': apiKey } }) => {
    if (method !== 'POST' || !SENDS.has(url) || typeof apiKey !== 'string') return false
    if (!gate.isCrowded()) return false
    const apiKeyHash = hashApiKey(apiKey)
    const owner = admitRequest.ownerOf(apiKeyHash)
    return owner !== undefined && (admitRequest.isOverloaded(apiKeyHash) || acceptMessage.isOverloaded(owner))
  }
  server.register(
    async (app) => {
      authenticateClients(app, admitRequest)
      mountSendMessage(app, house, acceptMessage)
      mountSendOtp(app, house, acceptMessage)
      mountVerifyOtp(app, house, createVerification(house, batching))
      mountGetMessage(app, house)
      mountGetBalance(app, house)
      mountGetCoverage(app, house)
    },
    { prefix: API_ROOT },
  )
  mountPublicCoverage(server, house)
}
