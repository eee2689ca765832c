// Creates workspaces, clients and templates for a benchmark, and their requests.
import { STAMP } from './load.ts'

export const OPERATOR_TOKEN = 'operator-token-of-the-benchmark-long'

export interface Customers {
  workspaceIds: string[]
  apiKeys: string[]
}

/** What `makeCustomers` creates. */
export interface CustomerOptions {
  workspaces?: number
  clientsPerWorkspace?: number
  templatesRequired?: boolean
  /** Of every client. */
  webhookUrl?: string
}

async function manage(port: number, path: string, body: unknown): Promise<{ id: string; apiKey: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/api/manage/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${OPERATOR_TOKEN}` },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return (await response.json()) as { id: string; apiKey: string }
}

/** The port of a carrier that no service connects to. */
export const UNUSED_PORT = 2775

/** Adds a carrier at an SMSC on this machine, and its route. */
export async function addCarrier(
  port: number,
  smscPort: number,
  settings: Record<string, unknown> = {},
): Promise<void> {
  const address = { host: '127.0.0.1', port: smscPort, systemId: 'bench', password: 'bench' }
  const carrier = await manage(port, '/carriers', { name: `Bench ${smscPort}`, ...address, ...settings })
  await manage(port, '/routes', { country: 'NP', carrierId: carrier.id, priority: 0, weight: 1 })
}

export async function makeCustomers(
  port: number,
  { workspaces = 8, clientsPerWorkspace = 8, templatesRequired = true, webhookUrl }: CustomerOptions = {},
): Promise<Customers> {
  const customers: Customers = { workspaceIds: [], apiKeys: [] }
  for (let number = 0; number < workspaces; number++) {
    const rate = { transactional: 0.0001, otp: 0.0001, promotional: 0.0001 }
    const credit = { status: 'active', monthlyCredit: 1_000_000, rate }
    const workspace = { name: `Workspace ${number}`, country: 'NP', templatesRequired, ...credit }
    const { id } = await manage(port, '/workspaces', workspace)
    customers.workspaceIds.push(id)
    for (const text of TEMPLATES) {
      const template = await manage(port, `/workspaces/${id}/templates`, { name: 'Order', type: 'transactional', text })
      await manage(port, `/templates/${template.id}/approve`, {})
    }
    for (let client = 0; client < clientsPerWorkspace; client++) {
      const settings = { name: `Client ${client}`, brandName: 'Bench', requestsPerSecond: 100_000, webhookUrl }
      customers.apiKeys.push((await manage(port, `/workspaces/${id}/clients`, settings)).apiKey)
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
  const headers = idempotent ? [`idempotency-key: ${STAMP}`] : []
  return messages().map((message, index) =>
    httpRequest('/sms/send', message, [`x-api-key: ${apiKeys[index % apiKeys.length]}`, ...headers]),
  )
}

export interface OtpCall {
  apiKey: string
  to: string
}

/** Mobile prefixes of Nepal. */
const PREFIXES = [961, 962, 970, 971, 972, 974, 975, 976, 980, 981, 982, 984, 985, 986]

/** Every number gets one OTP. A client sends too few to one prefix or block for a rule of the fraud guard. */
export function otpCalls({ apiKeys }: Customers, count: number): OtpCall[] {
  return Array.from({ length: count }, (_, index) => ({
    apiKey: apiKeys[Math.floor(index / PREFIXES.length) % apiKeys.length] ?? '',
    to: `+977${PREFIXES[index % PREFIXES.length]}${String((index * 7919) % 10_000_000).padStart(7, '0')}`,
  }))
}

/** Every request has its own address behind a proxy, because calls for OTPs are limited by address. */
export function otpSends(calls: OtpCall[]): string[] {
  return calls.map(({ apiKey, to }, index) => {
    const address = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
    return httpRequest('/sms/otp/send', { to }, [`x-api-key: ${apiKey}`, `x-forwarded-for: ${address}`])
  })
}

export function otpVerifications(calls: OtpCall[], codes: ReadonlyMap<string, string>): string[] {
  return calls.map(({ apiKey, to }) =>
    httpRequest('/sms/otp/verify', { to, code: codes.get(to) }, [`x-api-key: ${apiKey}`]),
  )
}

function httpRequest(path: string, fields: object, headers: string[]): string {
  const body = JSON.stringify(fields)
  return [
    `POST /api/sms/v1${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...headers,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}
