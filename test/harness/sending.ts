// A workspace that can send, and a carrier: the setup of delivery tests.
import { sql } from '../../src/store/database/sql.ts'
import { makeClient, makeWorkspace } from './client.ts'
import type { ServiceUnderTest } from './service.ts'

export async function makeSender(
  service: ServiceUnderTest,
  { webhookUrl = 'https://receiver.example/hook', monthlyCredit = 1000 } = {},
) {
  const rate = { transactional: 1, otp: 1.5, promotional: 0.5 }
  const workspaceId = await makeWorkspace(service, { rate, monthlyCredit })
  const client = await makeClient(service, { workspaceId, brandName: 'Brand', webhookUrl })
  return {
    workspaceId,
    clientId: client.id,
    send: (fields: Record<string, unknown>) => client.send({ text: 'Hello', ...fields }),
    sendCode: (to: string) => client.otp({ to }),
    get: async (messageId: string) => (await client.get(`/sms/messages/${messageId}`)).body,
    balance: async () => (await client.get('/sms/balance')).body,
  }
}

type Managed = Pick<ServiceUnderTest, 'manage'>

export async function addCarrier(service: Managed, port: number, settings: Record<string, unknown> = {}) {
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

export async function addRoute(service: Managed, carrierId: string, route: Record<string, unknown> = {}) {
  const added = await service.manage('POST', '/routes', { country: 'NP', carrierId, ...route })
  if (added.status !== 201) throw new Error(JSON.stringify(added.body))
  return added.body.id as string
}

/** A carrier for every country that another process holds, so that its messages stay in the queue. */
export async function addCarrierElsewhere(service: ServiceUnderTest): Promise<string> {
  const carrierId = await addCarrier(service, 9, { name: 'Elsewhere' })
  await addRoute(service, carrierId, { country: '*' })
  await service.db.query(sql`
    update carrier_bind set process_id = ${carrierId}, leased_until = '2100-01-01', state = 'bound', is_working = true,
      bound_at = ${service.clock.now()}
    where carrier_id = ${carrierId}`)
  return carrierId
}
