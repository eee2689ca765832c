// Restrictions by owner and operator (D43): an owner stays within the limits of the operator.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ClientRestrictions, restrict, UNRESTRICTED } from '../../../src/domain/messages/restrictions.ts'
import { compileNetworkList } from '../../../src/domain/network.ts'
import type { Actor } from '../../../src/domain/people/actor.ts'
import { Refusal } from '../../../src/domain/refusals.ts'

const operator: Actor = { kind: 'operator' }
const owner: Actor = { kind: 'owner', tokenId: 't', workspaceId: 'w' }
const free: ClientRestrictions = { restrictions: UNRESTRICTED, setByOperator: {} }

const listOf = (items: string[]) => fc.option(fc.subarray(items), { nil: null })
const change = fc.record(
  {
    types: fc.option(fc.subarray(['transactional' as const, 'otp' as const, 'promotional' as const]), { nil: null }),
    ipAllowlist: listOf([
      '10.0.0.0/8',
      '10.1.0.0/16',
      '10.1.2.3',
      '192.0.2.0/24',
      '::/0',
      '2001:db8::/32',
      '2001:db8::1',
    ]),
    numberPrefixes: listOf(['+9', '+977', '+97798', '+9779841', '+91']),
    dailyCap: fc.option(fc.nat(5), { nil: null }),
    hourlyCapPerNumber: fc.option(fc.nat(5), { nil: null }),
    pumpingGuard: fc.constantFrom('off' as const, 'monitor' as const, 'block' as const),
    pumpingAllowlist: listOf(['+977', '+97798', '+9779841', '+97798410', '+977984100']),
  },
  { requiredKeys: [] },
)

const allows = (list: string[] | null, number: string) =>
  list === null || list.some((prefix) => number.startsWith(prefix))
const ADDRESSES = [
  '10.1.2.3',
  '10.1.9.9',
  '10.9.9.9',
  '192.0.2.1',
  '8.8.8.8',
  '2001:db8::1',
  '2001:db8::2',
  '2001:4860::1',
]
const NUMBERS = ['+9779841000000', '+9779800000000', '+9771000000', '+911000000', '+9000000']

test("lets nothing pass that the operator's restrictions forbid, after any change by the owner (D43, property)", () => {
  fc.assert(
    fc.property(change, fc.array(change, { maxLength: 5 }), (bound, wishes) => {
      const set = restrict(free, bound, operator)
      assert(!(set instanceof Refusal))
      const end = wishes.reduce<ClientRestrictions>((before, wish) => {
        const after = restrict(before, wish, owner)
        return after instanceof Refusal ? before : after
      }, set)
      assert.deepEqual(end.setByOperator, set.setByOperator)
      const { restrictions: held } = end
      const { restrictions: first } = set
      for (const type of held.types ?? ['transactional' as const, 'otp' as const, 'promotional' as const])
        assert(first.types === null || first.types.includes(type))
      for (const address of ADDRESSES) {
        const mayCall = (list: string[] | null) => list === null || compileNetworkList(list)(address)
        assert(!mayCall(held.ipAllowlist) || mayCall(first.ipAllowlist), address)
      }
      for (const number of NUMBERS) {
        assert(!allows(held.numberPrefixes, number) || allows(first.numberPrefixes, number), number)
        if (set.setByOperator.pumpingGuard)
          assert(!allows(held.pumpingAllowlist ?? [], number) || allows(first.pumpingAllowlist ?? [], number), number)
      }
      for (const cap of ['dailyCap', 'hourlyCapPerNumber'] as const)
        assert((held[cap] ?? Number.POSITIVE_INFINITY) <= (first[cap] ?? Number.POSITIVE_INFINITY))
      const modes = ['off', 'monitor', 'block']
      if (bound.pumpingGuard) assert(modes.indexOf(held.pumpingGuard) >= modes.indexOf(bound.pumpingGuard))
    }),
  )
})

test('lets an owner choose freely without operator restrictions, and the operator always', () => {
  fc.assert(
    fc.property(change, change, (any, other) => {
      const { pumpingAllowlist: list } = any
      const narrow = list?.filter((prefix) => prefix.length > 8) ?? list
      // D33: a short prefix would disable the guard.
      assert.equal(restrict(free, any, owner) instanceof Refusal, list?.length !== narrow?.length)
      const one = list === undefined ? any : { ...any, pumpingAllowlist: narrow }
      const mine = restrict(free, one, owner)
      assert(!(mine instanceof Refusal))
      assert.deepEqual(mine, { restrictions: { ...UNRESTRICTED, ...one }, setByOperator: {} })
      const theirs = restrict(mine, other, operator)
      assert(!(theirs instanceof Refusal))
      assert.deepEqual(theirs.restrictions, { ...mine.restrictions, ...other })
    }),
  )
})
