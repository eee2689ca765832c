// Undo puts back the values before a change, and exists only where they are known.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Calls } from '../../ui/api/calls.ts'
import { undoOf, undoOfCreated } from '../../ui/api/undo.ts'

type Loaded = Partial<Record<keyof Calls, unknown>>
const undo = (name: keyof Calls, input: object, loaded: Loaded) =>
  undoOf(name, input, (of) => (loaded[of] === undefined ? [] : [loaded[of]]))

const client = {
  id: 'c',
  brandName: 'Daraz',
  webhookUrl: null,
  disabledBy: 'owner',
  restrictions: { dailyCap: 100, types: null },
}

test('puts back the changed fields only, also within restrictions', () => {
  const change = (body: object) => undo('changeClient', { params: { id: 'c' }, body }, { getClient: client })
  const back = (body: object) => ({ name: 'changeClient', input: { params: { id: 'c' }, body } })
  assert.deepEqual(change({ brandName: 'New' }), back({ brandName: 'Daraz' }))
  assert.deepEqual(change({ webhookUrl: 'https://x' }), back({ webhookUrl: null }))
  assert.deepEqual(change({ restrictions: { dailyCap: 5 } }), back({ restrictions: { dailyCap: 100 } }))
})

test('replaces an object that the API replaces as a whole', () => {
  const loaded = { getWorkspace: { id: 'w', carrierFields: { a: '1', b: '2' } } }
  const input = { params: { id: 'w' }, body: { carrierFields: { a: '3' } } }
  const before = { params: { id: 'w' }, body: { carrierFields: { a: '1', b: '2' } } }
  assert.deepEqual(undo('changeWorkspace', input, loaded), { name: 'changeWorkspace', input: before })
})

test('finds the values in lists and in their pages', () => {
  const route = { id: 'r', priority: 1, prefixes: ['+97798'] }
  const input = { params: { id: 'r' }, body: { priority: 7 } }
  for (const listRoutes of [{ items: [route] }, { pages: [{ items: [] }, { items: [route] }] }])
    assert.deepEqual(undo('changeRoute', input, { listRoutes })?.input, { params: { id: 'r' }, body: { priority: 1 } })
  const listCountries = { items: [{ code: 'NP', state: 'live', quietHours: null }] }
  const country = { params: { code: 'NP' }, body: { state: 'off', quietHours: { from: '20:00', to: '08:00' } } }
  assert.deepEqual(undo('putCountry', country, { listCountries })?.input, {
    params: { code: 'NP' },
    body: { state: 'live', quietHours: null },
  })
})

test('offers none where a value was not loaded, is not readable, or belongs to another record', () => {
  const at = { params: { id: 'c' } }
  assert.equal(undo('changeClient', { ...at, body: { brandName: 'x' } }, {}), null)
  assert.equal(undo('changeClient', { ...at, body: { testOtpCode: '1234' } }, { getClient: client }), null)
  assert.equal(
    undo('changeClient', { ...at, body: { brandName: 'x', testOtpCode: null } }, { getClient: client }),
    null,
  )
  assert.equal(undo('changeClient', { params: { id: 'd' }, body: { brandName: 'x' } }, { getClient: client }), null)
  assert.equal(undo('changeClient', { ...at, body: {} }, { getClient: client }), null)
  assert.equal(undo('rotateApiKey', at, { getClient: client }), null)
})

test('offers the undo of a restriction only to the role that set it (D43)', () => {
  const bounded = { ...client, restrictions: { dailyCap: 100 }, setByOperator: { dailyCap: 100 } }
  const input = { params: { id: 'c' }, body: { restrictions: { dailyCap: 5 } } }
  const offered = (getClient: object, isOperator: boolean) =>
    undo('changeClient', input, { getClient, whoami: { isOperator } }) !== null
  assert.deepEqual([offered(bounded, true), offered(bounded, false)], [true, false])
  assert.deepEqual([offered(client, true), offered(client, false)], [false, true])
  assert.equal(offered({ ...client, restrictions: { dailyCap: null } }, true), true)
})

test('enables a disabled client, and disables an enabled one where the same people could enable it before (D43)', () => {
  const at = { params: { id: 'c' } }
  assert.deepEqual(undo('disableClient', at, {}), { name: 'enableClient', input: at })
  const whoami = { isOperator: false }
  assert.deepEqual(undo('enableClient', at, { getClient: client, whoami })?.name, 'disableClient')
  assert.equal(undo('enableClient', at, { getClient: client, whoami: { isOperator: true } }), null)
})

test('removes a created route, and no other created record', () => {
  assert.deepEqual(undoOfCreated('createRoute', { id: 'r' }), { name: 'removeRoute', input: { params: { id: 'r' } } })
  assert.equal(undoOfCreated('createClient', { id: 'c' }), null)
})
