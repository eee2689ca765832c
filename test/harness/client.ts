// Creates workspaces, owners and API clients over the management API, and calls the v1 API.
import assert from 'node:assert/strict'
import { type Answer, call, type ServiceUnderTest } from './service.ts'

type Fields = Record<string, unknown>

/** A service managed over HTTP, in this process or another. */
type Managed = Pick<ServiceUnderTest, 'url' | 'manage'>

export interface TestClient {
  id: string
  workspaceId: string
  apiKey: string
  webhookSecret: string
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  send(fields?: Fields, headers?: Record<string, string>): Promise<Answer>
  otp(fields?: Fields, headers?: Record<string, string>): Promise<Answer>
  verify(fields: Fields, headers?: Record<string, string>): Promise<Answer>
}

/** Active, with credit, all types and no required templates. */
export async function makeWorkspace(service: Managed, fields: Fields = {}): Promise<string> {
  const { status, body } = await service.manage('POST', '/workspaces', {
    name: 'Himal Bank',
    country: 'NP',
    plan: 'enterprise',
    status: 'active',
    monthlyCredit: 1000,
    rate: { transactional: 1.5, otp: 1.2, promotional: 1 },
    templatesRequired: false,
    ...fields,
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

export async function makeClient(
  service: Managed,
  { workspaceId, url = service.url, ...fields }: Fields & { workspaceId?: string; url?: string } = {},
): Promise<TestClient> {
  const workspace = workspaceId ?? (await makeWorkspace(service))
  const made = await service.manage('POST', `/workspaces/${workspace}/clients`, {
    name: 'Himal app',
    brandName: 'Himal',
    requestsPerSecond: 10_000,
    ...fields,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return clientAt(url, { ...made.body, workspaceId: workspace })
}

/** The same client with another process. */
export function clientAt(
  url: string,
  { id, workspaceId, apiKey, webhookSecret }: Pick<TestClient, 'id' | 'workspaceId' | 'apiKey' | 'webhookSecret'>,
): TestClient {
  const at = (path: string) => `${url}/api/sms/v1${path}`
  const get: TestClient['get'] = (path, headers = {}) =>
    call(at(path), { method: 'GET', headers: { 'x-api-key': apiKey, ...headers } })
  const post: TestClient['post'] = (path, body, headers = {}) =>
    call(at(path), { method: 'POST', body, headers: { 'x-api-key': apiKey, ...headers } })
  return {
    id,
    workspaceId,
    apiKey,
    webhookSecret,
    get,
    post,
    send: (fields = {}, headers) => post('/sms/send', { to: '+9779841234567', text: 'Namaste', ...fields }, headers),
    otp: (fields = {}, headers) => post('/sms/otp/send', { to: '+9779841234567', ...fields }, headers),
    verify: (fields, headers) => post('/sms/otp/verify', { to: '+9779841234567', ...fields }, headers),
  }
}

/** Works with an invalid key too. */
export function getBalance({ url }: { url: string }, apiKey: string): Promise<Answer> {
  return call(`${url}/api/sms/v1/sms/balance`, { method: 'GET', headers: { 'x-api-key': apiKey } })
}

/** An owner token of this workspace. */
export async function makeOwner(
  { manage }: ServiceUnderTest,
  workspaceId: string,
): Promise<{ id: string; token: string }> {
  const made = await manage('POST', `/workspaces/${workspaceId}/owner-tokens`, { name: 'Asha' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body
}

/** Submits and approves a template. */
export async function approveTemplate(service: ServiceUnderTest, workspaceId: string, fields: Fields): Promise<string> {
  const made = await service.manage('POST', `/workspaces/${workspaceId}/templates`, {
    name: 'A template',
    type: 'transactional',
    ...fields,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const approved = await service.manage('POST', `/templates/${made.body.id}/approve`)
  assert.equal(approved.status, 200)
  return made.body.id
}
