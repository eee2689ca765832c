// A service whose webhooks go to endpoints on loopback.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { statusEvent, type WebhookStatus } from '../../src/domain/webhooks/webhook-event.ts'
import { insertWebhookEvents } from '../../src/store/webhooks/webhook-events.ts'
import { makeClient, type TestClient } from '../harness/client.ts'
import { ownService, type TestService, type TestServiceOptions } from '../harness/service.ts'
import type { ReceivedRequest } from './endpoints.ts'

export const WEBHOOK_ENV = {
  HULAKI_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
  HULAKI_WEBHOOK_CA_FILE: fileURLToPath(new URL('./certificates/ca.cert.pem', import.meta.url)),
}

export function startWebhookService({ env, ...options }: TestServiceOptions = {}): Promise<TestService> {
  return ownService({ ...options, env: { ...WEBHOOK_ENV, ...env } })
}

export const urlOf = ({ port }: { port: number }, target = '/hook') => `https://localhost:${port}${target}`

export function clientWithEndpoint(service: TestService, endpoint: { port: number }): Promise<TestClient> {
  return makeClient(service, { webhookUrl: urlOf(endpoint) })
}

export interface StatusChange {
  messageId?: string
  status?: WebhookStatus
}

/** Queues the events of status changes in one transaction, and returns the delivery ids. */
export async function queueEvents(
  { ports }: Pick<TestService, 'ports'>,
  { id: clientId }: { id: string },
  changes: StatusChange[] = [{}],
): Promise<string[]> {
  const now = ports.clock.now()
  const events = changes.map(({ messageId = ports.ids.next(), status = 'delivered' }) => {
    const fields = {
      messageId,
      status,
      to: '+9779841234567',
      at: now,
      messageType: 'otp',
      segments: 1,
      error: '',
    } as const
    return { deliveryId: ports.ids.next(), clientId, about: { messageId, status }, event: statusEvent(fields) }
  })
  await ports.db.transaction((tx) => insertWebhookEvents(tx, events, now))
  ports.notifications.notify('webhooks')
  return events.map((it) => it.deliveryId)
}

export async function queueEvent(
  service: Pick<TestService, 'ports'>,
  client: { id: string },
  change: StatusChange = {},
) {
  const [deliveryId] = await queueEvents(service, client, [change])
  assert(deliveryId)
  return deliveryId
}

export async function deliveryOf(service: TestService, deliveryId: string) {
  const { status, body } = await service.manage('GET', `/webhook-deliveries/${deliveryId}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** Runs all due work without moving the clock. */
export async function settle(service: TestService): Promise<void> {
  const { status } = await service.advance(0)
  assert.equal(status, 200)
}

export function signatureOf({ headers }: ReceivedRequest): { t: number; v1: string[] } {
  const parts = String(headers['x-svc-signature']).split(',')
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.split('=')[1])
  return { t: Number(valuesOf('t')[0]), v1: valuesOf('v1').map(String) }
}
