// What the tests of the management API begin with: workspaces, clients and owners, made over HTTP like everybody makes them.
import assert from 'node:assert/strict'
import { type Answer, call, type TestService } from '../harness/service.ts'

export const ABSENT = '0199a000-0000-7000-8000-000000000000'

export const workspaceBody = {
  name: 'Himal Bank',
  country: 'NP',
  status: 'active',
  monthlyCredit: 1000,
  rate: { transactional: 1.5, otp: 1.2, promotional: 1 },
}
export const clientBody = { name: 'Web shop', brandName: 'Himal' }
export const templateBody = { name: 'Order', type: 'transactional', text: 'Your order {{number}} is on its way' }

export async function makeWorkspace({ manage }: TestService, changes: object = {}): Promise<string> {
  const made = await manage('POST', '/workspaces', { ...workspaceBody, ...changes })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.id
}

export interface MadeClient {
  id: string
  apiKey: string
  webhookSecret: string
}

export async function makeClient(
  { manage }: TestService,
  workspaceId: string,
  changes: object = {},
): Promise<MadeClient> {
  const made = await manage('POST', `/workspaces/${workspaceId}/clients`, { ...clientBody, ...changes })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body
}

export async function makeTemplate({ manage }: TestService, workspaceId: string): Promise<string> {
  const made = await manage('POST', `/workspaces/${workspaceId}/templates`, templateBody)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.id
}

export async function makeOwner({ manage }: TestService, workspaceId: string): Promise<{ id: string; token: string }> {
  const made = await manage('POST', `/workspaces/${workspaceId}/owner-tokens`, { name: 'Asha' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body
}

export async function sendMessage({ url }: TestService, apiKey: string): Promise<string> {
  const body = { to: '+9779841234567', text: 'Namaste' }
  const sent = await call(`${url}/api/sms/v1/sms/send`, { method: 'POST', body, headers: { 'x-api-key': apiKey } })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  return sent.body.messageId
}

export function getBalance({ url }: { url: string }, apiKey: string): Promise<Answer> {
  return call(`${url}/api/sms/v1/sms/balance`, { method: 'GET', headers: { 'x-api-key': apiKey } })
}

export function assertRefused({ status, body }: Answer, expected: number, code: string, path?: unknown[]): void {
  assert.deepEqual([status, body?.code], [expected, code], JSON.stringify(body))
  assert.equal(typeof body.error, 'string')
  if (!path) return
  const paths = body.details.map((it: { path: unknown[]; message: string; code: string }) => {
    assert.deepEqual([typeof it.message, typeof it.code], ['string', 'string'])
    return JSON.stringify(it.path)
  })
  assert.ok(paths.includes(JSON.stringify(path)), `${JSON.stringify(path)} is not among ${paths}`)
}
