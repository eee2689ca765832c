// Bodies of the management API that its own tests vary.
import assert from 'node:assert/strict'
import type { ServiceUnderTest } from '../harness/service.ts'

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

export async function makeTemplate({ manage }: ServiceUnderTest, workspaceId: string): Promise<string> {
  const made = await manage('POST', `/workspaces/${workspaceId}/templates`, templateBody)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.id
}
