// Addresses that are no ordinary public host (D31): the IANA special-purpose registries, and the ways to hide an IPv4 address in an IPv6 one.
import { BlockList, isIP } from 'node:net'

const SPECIAL_NETWORKS: Record<string, string[]> = {
  unspecified: ['0.0.0.0/8', '::/128'],
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'],
  'carrier-grade NAT': ['100.64.0.0/10'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  // Metadata services: Azure's is in the public range, those of other clouds are in networks above and below.
  'cloud metadata': ['168.63.129.16/32'],
  documentation: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  benchmarking: ['198.18.0.0/15', '2001:2::/48'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  broadcast: ['255.255.255.255/32'],
  'IPv4-mapped': ['::ffff:0:0/96'],
  // Teredo and 6to4 are obsolete (RFC 7526) and blocked as a whole, so that no code has to decode them.
  tunnel: ['192.88.99.0/24', '2001::/32', '2002::/16'],
  // The last three are all of IPv6 outside 2000::/3, the only part assigned to public hosts.
  reserved: ['192.0.0.0/24', '240.0.0.0/4', '2001::/23', '::/3', '4000::/2', '8000::/1'],
}

const SPECIAL_KINDS = Object.entries(SPECIAL_NETWORKS).map(([kind, networks]) => ({ kind, ...byFamily(networks) }))

const NAT64 = byFamily(['64:ff9b::/96']).ipv6

/** Why an address is special, in a word or two; undefined for an ordinary public address. */
export function specialKind(address: string): string | undefined {
  switch (isIP(address)) {
    case 4:
      return SPECIAL_KINDS.find(({ ipv4 }) => ipv4.check(address, 'ipv4'))?.kind
    case 6:
      // A machine with IPv6 only reaches IPv4 through NAT64 (RFC 6052), so the inner address counts.
      if (NAT64.check(address, 'ipv6')) return specialKind(lastBitsAsIpv4(address))
      return SPECIAL_KINDS.find(({ ipv6 }) => ipv6.check(address, 'ipv6'))?.kind
    default:
      return 'unreadable'
  }
}

// One list per family: a BlockList with both treats every IPv4 address as part of `::/8`, because of its IPv4-mapped form.
function byFamily(networks: string[]): { ipv4: BlockList; ipv6: BlockList } {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const network of networks) {
    const [address = '', prefixLength] = network.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    lists[family].addSubnet(address, Number(prefixLength), family)
  }
  return lists
}

function lastBitsAsIpv4(address: string): string {
  // URL normalises an IPv6 address: no dotted tail, and an omitted group splits into an empty string.
  const groups = new URL(`https://[${address}]`).hostname.slice(1, -1).split(':')
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}
