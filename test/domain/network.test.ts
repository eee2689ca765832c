// Addresses and networks (§5.4, §8.2, D31).
import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Address,
  compileNetworks,
  type Network,
  parseAddress,
  parseNetwork,
  throttleScope,
} from '../../src/domain/network.ts'

const addresses: [text: string, version: 4 | 6, value: bigint][] = [
  ['0.0.0.0', 4, 0n],
  ['192.0.2.1', 4, 0xc0000201n],
  ['255.255.255.255', 4, 0xffffffffn],
  ['::', 6, 0n],
  ['::1', 6, 1n],
  ['1::', 6, 1n << 112n],
  ['2001:db8::1', 6, 0x20010db8_00000000_00000000_00000001n],
  ['2001:DB8:0:0:0:0:0:1', 6, 0x20010db8_00000000_00000000_00000001n],
  ['1:2:3:4:5:6:7:8', 6, 0x00010002_00030004_00050006_00070008n],
  ['1:2:3:4:5:6:192.0.2.1', 6, 0x00010002_00030004_00050006_c0000201n],
  ['::ffff:192.0.2.1', 4, 0xc0000201n],
  ['::ffff:c000:201', 4, 0xc0000201n],
  ['0:0:0:0:0:ffff:192.0.2.1', 4, 0xc0000201n],
  ['::192.0.2.1', 6, 0xc0000201n],
  ['fe80::1%eth0', 6, 0xfe800000_00000000_00000000_00000001n],
]
for (const [text, version, value] of addresses) {
  test(`reads ${text} as IPv${version} (§5.4)`, () => assert.deepEqual(parseAddress(text), { version, value }))
}

test('rejects invalid addresses (§5.4)', () => {
  for (const text of [
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    ' 1.2.3.4',
    '1::2::3',
    ':1',
    '12345::',
    'g::',
    '1.2.3.4/8',
  ]) {
    assert.equal(parseAddress(text), null, text)
  }
})

test('rejects invalid networks (§5.4)', () => {
  const wrong = ['', '/8', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/08', '10.0.0.0/8/8', '::/129', '10/8']
  for (const text of [...wrong, '::ffff:10.0.0.0/95', 'fe80::1%eth0/64', '10.0.0.0/255.0.0.0']) {
    assert.equal(parseNetwork(text), null, text)
  }
})

const contained: [network: string, inside: string[], outside: string[]][] = [
  ['192.0.2.1', ['192.0.2.1', '::ffff:192.0.2.1'], ['192.0.2.2', '::192.0.2.1']],
  ['10.1.2.3/8', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
  ['0.0.0.0/0', ['0.0.0.0', '255.255.255.255', '::ffff:1.2.3.4'], ['::', '2001:db8::1']],
  ['::/0', ['::', '2001:db8::1', 'ffff::'], ['0.0.0.0', '::ffff:1.2.3.4']],
  ['::ffff:10.0.0.0/104', ['10.0.0.0', '10.255.255.255', '::ffff:10.1.1.1'], ['11.0.0.0', '::a00:0']],
  ['::ffff:0:0/96', ['1.2.3.4', '::ffff:1.2.3.4'], ['::1']],
  ['2001:db8::/32', ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'], ['2001:db9::', '2001:db7:ffff::']],
  ['2001:db8::7', ['2001:db8::7', '2001:db8:0::0:7'], ['2001:db8::8']],
  ['fe80::/10', ['fe80::1%eth0', 'febf::'], ['fec0::']],
]
for (const [text, inside, outside] of contained) {
  test(`contains only its own addresses: ${text} (§5.4)`, () => {
    const matches = compileNetworks([readNetwork(text)])
    for (const address of inside) assert.ok(matches(readAddress(address)), address)
    for (const address of outside) assert.ok(!matches(readAddress(address)), address)
  })
}

test('contains nothing with an empty list (§5.4)', () =>
  assert.equal(compileNetworks([])(readAddress('127.0.0.1')), false))

const scopes: [address: string, scope: string][] = [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:0:1:aaaa::1', '2001:db8:0:1::/64'],
  ['2001:db8:0:1:bbbb::2', '2001:db8:0:1::/64'],
  ['::1', '0:0:0:0::/64'],
]
for (const [address, scope] of scopes) {
  test(`throttles ${address} as ${scope} (§8.2)`, () => assert.equal(throttleScope(address), scope))
}

const ipv6 = fc.ipV6().filter((text) => readAddress(text).version === 6)
const networks = fc.oneof(
  fc.record({ family: fc.constant('ipv4' as const), host: fc.ipV4(), prefixLength: fc.nat(32) }),
  fc.record({ family: fc.constant('ipv6' as const), host: ipv6, prefixLength: fc.nat(128) }),
)

// The runtime's BlockList is the oracle, one per family: its ::/0 also contains IPv4, which an allow list must not.
test('agrees with each network and with the runtime (§5.4, property)', () => {
  fc.assert(
    fc.property(fc.array(networks, { maxLength: 8 }), fc.array(networks, { maxLength: 4 }), (list, others) => {
      const oracles = { ipv4: new BlockList(), ipv6: new BlockList() }
      for (const { family, host, prefixLength } of list) oracles[family].addSubnet(host, prefixLength, family)
      const parsed = list.map(({ host, prefixLength }) => readNetwork(`${host}/${prefixLength}`))
      const matches = compileNetworks(parsed)
      for (const { family, host } of [...list, ...others]) {
        const address = readAddress(host)
        const held = oracles[family].check(host, family)
        assert.equal(matches(address), held)
        assert.equal(
          parsed.some((network) => compileNetworks([network])(address)),
          held,
        )
      }
    }),
  )
})

function readAddress(text: string): Address {
  const address = parseAddress(text)
  assert.ok(address, text)
  return address
}

function readNetwork(text: string): Network {
  const network = parseNetwork(text)
  assert.ok(network, text)
  return network
}
