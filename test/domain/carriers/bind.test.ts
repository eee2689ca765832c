// How processes share the binds of carriers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type BindLease, bindKey, findWorkingElsewhere, shareBinds } from '../../../src/domain/carriers/bind.ts'

const NOW = new Date('2026-11-16T04:00:00.000Z')
const LATER = new Date(NOW.getTime() + 8_000)
const EARLIER = new Date(NOW.getTime() - 1)

const bind = (number: number, more: Partial<BindLease> = {}): BindLease => ({
  carrierId: 'one',
  number,
  processId: null,
  leasedUntil: null,
  ...more,
})
const leased = (number: number, processId: string) => bind(number, { processId, leasedUntil: LATER })
const share = (binds: BindLease[], { renewed = [] as BindLease[], processes = 1, enabled = true } = {}) => {
  const carriers = [{ id: 'one', enabled }]
  const { keep, take, release } = shareBinds({ binds, renewed, carriers, processId: 'me', processes, now: NOW })
  const numbersOf = (some: BindLease[]) => some.map((it) => it.number)
  return { keep: numbersOf(keep), take: numbersOf(take), release: numbersOf(release) }
}

test('takes every bind that is free or has an expired lease, if the process is alone', () => {
  const lapsed = bind(2, { processId: 'gone', leasedUntil: EARLIER })
  assert.deepEqual(share([bind(1), lapsed, leased(3, 'other')]), { keep: [], take: [1, 2], release: [] })
})

test('holds half of the binds with two processes, rounded up, and keeps a surplus bind until it is drained', () => {
  const mine = [1, 2, 3].map((number) => leased(number, 'me'))
  assert.deepEqual(share(mine, { renewed: mine, processes: 2 }), { keep: [1, 2], take: [], release: [] })
})

test('takes a drained bind of its own again within the share, and releases it beyond the share', () => {
  const [one, two] = [leased(1, 'me'), leased(2, 'me')]
  assert.deepEqual(share([one, two], { renewed: [one] }), { keep: [1], take: [2], release: [] })
  assert.deepEqual(share([one, two], { renewed: [one], processes: 2 }), { keep: [1], take: [], release: [2] })
})

test('keeps and takes no binds of a disabled carrier, and releases drained ones', () => {
  const [one, two] = [leased(1, 'me'), leased(2, 'me')]
  assert.deepEqual(share([one, two, bind(3)], { renewed: [one], enabled: false }), { keep: [], take: [], release: [2] })
})

test('counts a carrier as working elsewhere by the leases of other processes, and as full if all of them are', () => {
  const other = { ...leased(1, 'other'), isWorking: true, isFull: true }
  const facts = { processId: 'me', now: NOW }
  assert.deepEqual([...findWorkingElsewhere([other, { ...other, isFull: false }], facts)], [['one', { isFull: false }]])
  assert.deepEqual([...findWorkingElsewhere([other], facts)], [['one', { isFull: true }]])
  const others = [
    { ...other, isWorking: false },
    { ...other, processId: 'me' },
    { ...other, leasedUntil: EARLIER },
  ]
  assert.equal(findWorkingElsewhere(others, facts).size, 0)
})

test('never holds more than the share, and never a bind of another process (property)', () => {
  const arbitraryBinds = fc.uniqueArray(
    fc.record({
      carrierId: fc.constantFrom('one', 'two'),
      number: fc.integer({ min: 1, max: 6 }),
      processId: fc.constantFrom('me', 'other', null),
      leasedUntil: fc.constantFrom(LATER, EARLIER, null),
    }),
    { selector: bindKey },
  )
  fc.assert(
    fc.property(
      arbitraryBinds,
      fc.integer({ min: 1, max: 4 }),
      fc.func(fc.boolean()),
      (binds, processes, isRenewed) => {
        const renewed = binds.filter((it) => it.processId === 'me' && isRenewed(bindKey(it)))
        const carriers = ['one', 'two'].map((id) => ({ id, enabled: true }))
        const { keep, take, release } = shareBinds({ binds, renewed, carriers, processId: 'me', processes, now: NOW })
        const isOthers = (it: BindLease) => it.processId !== 'me' && it.leasedUntil === LATER
        assert.ok(![...keep, ...take, ...release].some(isOthers))
        assert.equal(new Set([...keep, ...take, ...release]).size, keep.length + take.length + release.length)
        for (const { id } of carriers) {
          const of = (some: BindLease[]) => some.filter((it) => it.carrierId === id).length
          const most = Math.ceil(of(binds) / processes)
          const free = of(binds.filter((it) => !renewed.includes(it) && !isOthers(it)))
          assert.equal(of(keep), Math.min(of(renewed), most))
          assert.equal(of(take), Math.min(free, most - of(keep)))
        }
      },
    ),
  )
})
