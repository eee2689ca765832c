// IP addresses and networks: allow lists, trusted proxies, throttles (§5.4, §8.2, D31). IPv4 and IPv6.
import { isIP } from 'node:net'

// An IPv4-mapped IPv6 address (::ffff:192.0.2.1) is read as its IPv4 address, because a dual-stack socket reports one as the other.
export type Address = { version: 4 | 6; value: bigint }
export type Network = { version: 4 | 6; value: bigint; prefixLength: number }

const BITS = { 4: 32, 6: 128 }

// null if the text is not an address. A zone (fe80::1%eth0) names a link of this machine and is dropped.
export function parseAddress(text: string): Address | null {
  const version = isIP(text)
  if (version === 4) return { version, value: BigInt(ipv4Value(text)) }
  return version === 6 ? foldMapped(ipv6Value(text.replace(/%.*/, ''))) : null
}

// A single address, or one with a prefix length. The bits after the prefix are ignored: 10.1.2.3/8 is 10.0.0.0/8.
export function parseNetwork(text: string): Network | null {
  const [, host = '', length] = /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? []
  const address = parseAddress(host)
  if (!address) return null
  const writtenBits = host.includes(':') ? BITS[6] : BITS[4]
  const openBits = length === undefined ? 0 : writtenBits - Number(length)
  // A mapped network beyond its own bits (::ffff:192.0.2.0/90) would be neither IPv4 nor IPv6.
  if (openBits < 0 || openBits > BITS[address.version]) return null
  const value = (address.value >> BigInt(openBits)) << BigInt(openBits)
  return { version: address.version, value, prefixLength: BITS[address.version] - openBits }
}

export function isWithinNetwork(inner: Network, outer: Network): boolean {
  if (inner.version !== outer.version || inner.prefixLength < outer.prefixLength) return false
  const openBits = BigInt(BITS[outer.version] - outer.prefixLength)
  return inner.value >> openBits === outer.value >> openBits
}

// One lookup per distinct prefix length, independent of the number of networks.
export function compileNetworks(networks: readonly Network[]): (address: Address) => boolean {
  const groups = new Map<string, { version: 4 | 6; openBits: bigint; prefixes: Set<bigint> }>()
  for (const { version, value, prefixLength } of networks) {
    const openBits = BigInt(BITS[version] - prefixLength)
    const group = groups.getOrInsert(`${version}/${prefixLength}`, { version, openBits, prefixes: new Set() })
    group.prefixes.add(value >> openBits)
  }
  const tests = [...groups.values()]
  return ({ version, value }) =>
    tests.some((group) => group.version === version && group.prefixes.has(value >> group.openBits))
}

// The same for a list of texts; an invalid address is in no network.
export function compileNetworkList(list: readonly string[]): (address: string) => boolean {
  const contains = compileNetworks(list.map(parseNetwork).filter((network) => network !== null))
  return (text) => {
    const address = parseAddress(text)
    return address !== null && contains(address)
  }
}

// The same name for every spelling of an address; an invalid address is its own name.
export function addressName(text: string): string {
  const address = parseAddress(text)
  return address ? `${address.version}:${address.value.toString(16)}` : text
}

// The scope of a throttle: the IPv4 address, or the IPv6 /64, because one subscriber has all addresses of it.
export function throttleScope(text: string): string {
  const address = parseAddress(text)
  if (!address) return text
  const { version, value } = address
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
  const groups = [112n, 96n, 80n, 64n].map((shift) => ((value >> shift) & 0xffffn).toString(16))
  return `${groups.join(':')}::/64`
}

function ipv4Value(text: string): number {
  return text.split('.').reduce((value, byte) => value * 256 + Number(byte), 0)
}

function ipv6Value(text: string): bigint {
  const [head = '', tail = ''] = text.split('::')
  const front = hexOf(head)
  return BigInt(`0x${front}${hexOf(tail).padStart(32 - front.length, '0')}`)
}

function hexOf(groups: string): string {
  if (groups === '') return ''
  const digits = (group: string) =>
    group.includes('.') ? ipv4Value(group).toString(16).padStart(8, '0') : group.padStart(4, '0')
  return groups.split(':').map(digits).join('')
}

function foldMapped(value: bigint): Address {
  return value >> 32n === 0xffffn ? { version: 4, value: value & 0xffff_ffffn } : { version: 6, value }
}
