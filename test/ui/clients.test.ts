// The screens of API clients without a browser: the real bundle, against the real service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsOf, restrictionsOf } from '../../ui/clients/restriction-fields.ts'
import { makeClient } from '../harness/client.ts'
import { glance } from '../harness/readers.ts'
import { sharedService } from '../harness/service.ts'

const HOSTILE = '<img src=x onerror=alert(1)>\u202e'

test('lists clients with their marks; one shows its OTP text and the limits set by an operator', async () => {
  const service = await sharedService()
  const client = await makeClient(service, { name: HOSTILE, restrictions: { dailyCap: 500 } })
  const { workspaceId } = client
  await makeClient(service, { workspaceId, name: 'Trying out', mode: 'test', testOtpCode: '123456' })
  const list = await glance(service, `/console/w/${workspaceId}/clients`, { workspaceId })
  await list.until(HOSTILE)
  await list.until('Trying out TEST')
  await list.close()
  const page = await glance(service, `/console/w/${workspaceId}/clients/${client.id}`, { workspaceId })
  await page.until('Himal: 482913 is your verification code, valid for 5 minutes. Do not share it with anyone.')
  await page.until('1 segment, 90 of 160 characters')
  await page.until('Set by an operator: 500. You can make it stricter, not looser.')
  assert.equal(page.document.querySelectorAll('img').length, 0)
  await page.close()
})

test('§5.4: sends only edited restrictions, and an empty field removes one', () => {
  const restrictions = {
    types: null,
    ipAllowlist: ['203.0.113.0/24', '2001:db8::1'],
    numberPrefixes: null,
    dailyCap: 0,
    hourlyCapPerNumber: null,
    pumpingGuard: 'monitor' as const,
    pumpingAllowlist: null,
  }
  const fields = fieldsOf(restrictions)
  const { pumpingAllowlist: _, ...known } = restrictions
  assert.deepEqual(restrictionsOf(fields), known)
  assert.deepEqual(restrictionsOf({}), {})
  assert.deepEqual(restrictionsOf({ ipAllowlist: ' \n', dailyCap: '', types: ['otp'] }), {
    ipAllowlist: null,
    dailyCap: null,
    types: ['otp'],
  })
  assert.deepEqual(restrictionsOf({ numberPrefixes: ' +97798, +97797\n\n' }), { numberPrefixes: ['+97798', '+97797'] })
})
