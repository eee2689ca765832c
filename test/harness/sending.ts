// A workspace that may send, and a carrier that takes it: what every test of delivery begins with.
import { setTimeout as sleep } from 'node:timers/promises'
import { call, type TestService } from './service.ts'

export async function makeSender(
  service: TestService,
  { webhookUrl = 'https://receiver.example/hook', monthlyCredit = 1000 } = {},
) {
  const workspace = await service.manage('POST', '/workspaces', {
    name: 'Sender',
    country: 'NP',
    plan: 'enterprise',
    status: 'active',
    monthlyCredit,
    rate: { transactional: 1, otp: 1.5, promotional: 0.5 },
    templatesRequired: false,
  })
  const client = await service.manage('POST', `/workspaces/${workspace.body.id}/clients`, {
    name: 'Client',
    brandName: 'Brand',
    webhookUrl,
    requestsPerSecond: 1000,
  })
  const headers = { 'x-api-key': client.body.apiKey as string }
  const send = (body: Record<string, unknown>) =>
    call(`${service.url}/api/sms/v1/sms/send`, { method: 'POST', body: { text: 'Hello', ...body }, headers })
  const sendCode = (to: string) =>
    call(`${service.url}/api/sms/v1/sms/otp/send`, { method: 'POST', body: { to }, headers })
  const get = async (messageId: string) =>
    (await call(`${service.url}/api/sms/v1/sms/messages/${messageId}`, { method: 'GET', headers })).body
  const balance = async () => (await call(`${service.url}/api/sms/v1/sms/balance`, { method: 'GET', headers })).body
  return { workspaceId: workspace.body.id as string, clientId: client.body.id as string, send, sendCode, get, balance }
}

export async function addCarrier(service: TestService, port: number, settings: Record<string, unknown> = {}) {
  const carrier = await service.manage('POST', '/carriers', {
    name: `Carrier ${port}`,
    host: '127.0.0.1',
    port,
    systemId: 'hulaki',
    password: 'secret',
    ...settings,
  })
  if (carrier.status !== 201) throw new Error(JSON.stringify(carrier.body))
  return carrier.body.id as string
}

export async function addRoute(service: TestService, carrierId: string, route: Record<string, unknown> = {}) {
  const added = await service.manage('POST', '/routes', { country: 'NP', carrierId, ...route })
  if (added.status !== 201) throw new Error(JSON.stringify(added.body))
  return added.body.id as string
}

/** Waits on a condition, with a limit: what happens over sockets happens in its own time. */
export async function until<Value>(
  look: () => Promise<Value> | Value,
  { ms = 5_000 } = {},
): Promise<NonNullable<Value>> {
  const end = performance.now() + ms
  for (;;) {
    const value = await look()
    if (value) return value as NonNullable<Value>
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${look}`)
    await sleep(10)
  }
}
