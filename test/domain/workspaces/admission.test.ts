// §5.2, D6, D26: which requests are admitted, and how others are rejected.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type AdmissibleClient,
  type AdmissionFacts,
  callerKey,
  decideAdmissions,
} from '../../../src/domain/workspaces/admission.ts'

const NOW = new Date('2026-11-16T04:00:00.000Z')
const client = (more: Partial<AdmissibleClient> = {}): AdmissibleClient => ({
  id: 'client',
  disabledAt: null,
  requestsPerSecond: 10,
  onlyNetworks: null,
  granted: 1,
  tokens: 4.5,
  ...more,
})
const facts = (one: AdmissibleClient, more: Partial<AdmissionFacts<AdmissibleClient>> = {}) => ({
  clients: new Map([['key', one]]),
  callers: new Map(),
  callerSeconds: 3600,
  isWithin: (networks: string, address: string) => networks.split(',').includes(address),
  now: NOW,
  ...more,
})
const request = (more = {}) => ({ apiKeyHash: 'key', address: '192.0.2.1', caller: null, ...more })
const refusalOf = (one: AdmissibleClient, more = {}) => decideAdmissions([request(more)], facts(one))[0]?.refusal

test('rejects an unknown or rotated key with 401 (§5.2)', () => {
  const [decision] = decideAdmissions([request({ apiKeyHash: 'rotated' })], facts(client()))
  assert.equal(decision?.refusal?.status, 401)
  assert.equal(decision?.refusal?.code, 'unauthorized')
  assert.deepEqual([decision?.client, decision?.tokensLeft], [null, 0])
})

test('rejects a disabled client before its address, and its address before its rate (D6)', () => {
  const disabled = client({ disabledAt: NOW, onlyNetworks: '198.51.100.1', granted: 0 })
  assert.equal(refusalOf(disabled)?.code, 'client_disabled')
  assert.equal(refusalOf({ ...disabled, disabledAt: null })?.code, 'ip_not_allowed')
  assert.equal(refusalOf({ ...disabled, disabledAt: null }, { address: '198.51.100.1' })?.code, 'rate_limited')
  assert.equal(refusalOf(client({ onlyNetworks: '198.51.100.1' }), { address: '198.51.100.1' }), null)
})

test('gives the tokens to the first requests of a batch; a rejected request also costs its token (D43)', () => {
  const batch = [request(), request({ address: 'elsewhere' }), request()]
  const decided = decideAdmissions(batch, facts(client({ granted: 2, onlyNetworks: '192.0.2.1' })))
  assert.deepEqual(
    decided.map(({ refusal, tokensLeft }) => [refusal?.code ?? null, tokensLeft]),
    [
      [null, 4],
      ['ip_not_allowed', 4],
      ['rate_limited', 0],
    ],
  )
})

test('makes a fast client wait for the next token, at least a second', () => {
  const waitOf = (requestsPerSecond: number) => refusalOf(client({ granted: 0, requestsPerSecond }))?.retryAfterSeconds
  assert.deepEqual([10, 1, 0.25].map(waitOf), [1, 1, 4])
})

test('makes a calling address beyond its limit wait until its oldest request no longer counts (§8.2)', () => {
  const oldestAt = new Date(NOW.getTime() - 600_000)
  const callers = new Map([[callerKey({ clientId: 'client', caller: 'here' }), { granted: 1, oldestAt }]])
  const batch = [request({ caller: 'here' }), request({ caller: 'here' }), request({ caller: 'there' }), request()]
  const decided = decideAdmissions(batch, facts(client({ granted: 4 }), { callers }))
  assert.deepEqual(
    decided.map((it) => it.callerWaitSeconds),
    [0, 3000, 0, 0],
  )
})

test('admits at most the granted requests, and does not change the facts (property)', () => {
  const arbitraryBatch = fc.array(fc.constantFrom('one', 'other', 'unknown'), { maxLength: 30 })
  const arbitraryClient = fc.record({
    disabledAt: fc.constantFrom(null, null, NOW),
    granted: fc.integer({ min: 0, max: 20 }),
  })
  fc.assert(
    fc.property(arbitraryBatch, arbitraryClient, arbitraryClient, (keys, one, other) => {
      const clients = new Map([
        ['one', client({ ...one, id: 'one' })],
        ['other', client({ ...other, id: 'other' })],
      ])
      const known = facts(client(), { clients })
      const before = structuredClone(clients)
      const decided = decideAdmissions(
        keys.map((apiKeyHash) => request({ apiKeyHash })),
        known,
      )
      assert.deepEqual(clients, before)
      for (const [key, { granted, disabledAt }] of clients) {
        const own = decided.filter((_, index) => keys[index] === key)
        const admitted = own.filter((it) => it.refusal === null).length
        assert.equal(admitted, disabledAt ? 0 : Math.min(granted, own.length))
      }
      assert.ok(decided.every((it, index) => (keys[index] === 'unknown') === (it.refusal?.code === 'unauthorized')))
    }),
  )
})
