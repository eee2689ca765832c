// D31: both ends of every special range, and every way to hide an IPv4 address in an IPv6 one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { specialKind } from '../../src/domain/special-addresses.ts'

const special: Record<string, string[]> = {
  unspecified: ['0.0.0.0', '0.255.255.255', '::', '0:0:0:0:0:0:0:0'],
  loopback: ['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1', '0000:0000:0000:0000:0000:0000:0000:0001'],
  private: [
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.168.0.0',
    '192.168.255.255',
    'fc00::',
    'fdff:ffff::1',
    'fec0::1',
  ],
  'carrier-grade NAT': ['100.64.0.0', '100.127.255.255'],
  'link-local': ['169.254.0.0', '169.254.169.254', '169.254.255.255', 'fe80::', 'febf:ffff::1'],
  'cloud metadata': ['168.63.129.16'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1', '3fff:fff:ffff::'],
  benchmarking: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
  multicast: ['224.0.0.0', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  broadcast: ['255.255.255.255'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:169.254.169.254', '::ffff:8.8.8.8'],
  tunnel: [
    '192.88.99.1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '2002:808:808::1',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  ],
  reserved: [
    '192.0.0.1',
    '192.0.0.170',
    '240.0.0.0',
    '255.255.255.254',
    '::7f00:1',
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:0:127.0.0.1',
  ],
}

test('classifies both ends of every special range (D31)', () => {
  for (const [kind, addresses] of Object.entries(special)) {
    for (const address of addresses) assert.equal(specialKind(address), kind, address)
  }
})

test('classifies all IPv6 outside 2000::/3 as special (D31)', () => {
  for (const address of ['64:ff9b:1::1', '100::1', '1fff:ffff::', '4000::', '5f00::1', '8000::1', 'e000::1']) {
    assert.equal(specialKind(address), 'reserved', address)
  }
})

test('classifies the IPv4 address behind NAT64 (D31)', () => {
  const kinds = {
    '64:ff9b::7f00:1': 'loopback',
    '64:ff9b::127.0.0.1': 'loopback',
    '0064:ff9b:0000:0000:0000:0000:a9fe:a9fe': 'link-local',
    '64:ff9b::a00:0': 'private',
    '64:ff9b::': 'unspecified',
    '64:ff9b::5': 'unspecified',
    '64:ff9b::808:808': undefined,
    '64:ff9b::808:0': undefined,
  }
  for (const [address, kind] of Object.entries(kinds)) assert.equal(specialKind(address), kind, address)
})

test('accepts the ordinary public addresses beside every range', () => {
  const ordinary = [
    ...[
      '1.0.0.0',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.0',
    ],
    ...[
      '169.253.255.255',
      '169.255.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '192.0.1.0',
      '192.167.255.255',
      '192.169.0.0',
    ],
    ...['198.17.255.255', '198.20.0.0', '223.255.255.255', '2000::', '2001:200::1', '2001:db7::1', '2606:4700::1111'],
    ...['2400:1a00::1', '3ffe:ffff::1', '3fff:1000::'],
  ]
  for (const address of ordinary) assert.equal(specialKind(address), undefined, address)
})

test('classifies invalid addresses as unreadable', () => {
  for (const text of ['', 'localhost', '0x7f.1', '127.1', '2130706433', '[::1]', '1.2.3.4.5', '8.8.8.8 ']) {
    assert.equal(specialKind(text), 'unreadable', text)
  }
})
