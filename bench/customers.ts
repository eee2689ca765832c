// Creates workspaces, clients and templates for a benchmark, and their requests.
import { STAMP } from './load.ts'

export const OPERATOR_TOKEN = 'operator-token-of-the-benchmark-long'

export interface Customers {
  workspaceIds: string[]
  apiKeys: string[]
}

const WORKSPACES = 8
const CLIENTS_PER_WORKSPACE = 8

export async function makeCustomers(port: number): Promise<Customers> {
  const manage = async (path: string, body: unknown) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/manage/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${OPERATOR_TOKEN}` },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return (await response.json()) as { id: string; apiKey: string }
  }
  const carrier = await manage('/carriers', {
    name: 'Bench',
    host: '127.0.0.1',
    port: 2775,
    systemId: 'bench',
    password: 'bench',
  })
  await manage('/routes', { country: 'NP', carrierId: carrier.id, priority: 0 })
  const customers: Customers = { workspaceIds: [], apiKeys: [] }
  for (let number = 0; number < WORKSPACES; number++) {
    const rate = { transactional: 0.0001, otp: 0.0001, promotional: 0.0001 }
    const workspace = { name: `Workspace ${number}`, country: 'NP', status: 'active', monthlyCredit: 1_000_000, rate }
    const { id } = await manage('/workspaces', workspace)
    customers.workspaceIds.push(id)
    for (const text of TEMPLATES) {
      const template = await manage(`/workspaces/${id}/templates`, { name: 'Order', type: 'transactional', text })
      await manage(`/templates/${template.id}/approve`, {})
    }
    for (let client = 0; client < CLIENTS_PER_WORKSPACE; client++) {
      const settings = { name: `Client ${client}`, brandName: 'Bench', requestsPerSecond: 100_000 }
      customers.apiKeys.push((await manage(`/workspaces/${id}/clients`, settings)).apiKey)
    }
  }
  return customers
}

const TEMPLATES = [
  'Dear {{name}}, your order {{order}} has been shipped and arrives on {{day}}.',
  'Dear {{name}}, your order {{order}} is ready for pick-up.',
  'Your appointment with {{name}} is on {{day}} at {{time}}.',
  '{{name}} has sent you NPR {{amount}}. Your balance is NPR {{balance}}.',
]

const NAMES = ['Asha', 'Bikram', 'Chandra', 'Deepa', 'Gopal', 'Ishwor', 'Kamala', 'Laxmi']
const REQUESTS = 8192

/** Messages with different numbers and texts. */
export function messages(): { to: string; text: string }[] {
  return Array.from({ length: REQUESTS }, (_, index) => ({
    to: `+97798${String((index * 7919) % 100_000_000).padStart(8, '0')}`,
    text: `Dear ${NAMES[index % NAMES.length]}, your order ${100_000 + index} has been shipped and arrives on Monday.`,
  }))
}

/** Complete HTTP requests that rotate through all clients. */
export function requestsOf({ apiKeys }: Customers, { idempotent = false } = {}): string[] {
  return messages().map((message, index) => {
    const body = JSON.stringify(message)
    return [
      'POST /api/sms/v1/sms/send HTTP/1.1',
      'host: 127.0.0.1',
      `x-api-key: ${apiKeys[index % apiKeys.length]}`,
      ...(idempotent ? [`idempotency-key: ${STAMP}`] : []),
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n')
  })
}
