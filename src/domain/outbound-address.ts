// Which addresses of webhook endpoints and HTTP carriers may be connected to (D31, D50).
import { isIP } from 'node:net'
import { specialKind } from './special-addresses.ts'

/** The operator's exceptions to the special addresses (D31). */
export type IsAllowedAddress = (address: string) => boolean

/** The kind of a forbidden address, such as `loopback`; undefined if connections are allowed. */
export function forbiddenKind(address: string, isAllowed: IsAllowedAddress): string | undefined {
  const kind = specialKind(address)
  return kind === undefined || isAllowed(address) ? undefined : kind
}

/**
 * The address that a URL's host names without DNS. URL has already converted `0x7f.1`, `2130706433` and `１２７.1` to `127.0.0.1`; `localhost`
 * means loopback regardless of DNS and hosts files (RFC 6761).
 */
export function addressWithoutDns(hostname: string): string | undefined {
  const host = hostOf(hostname)
  if (host === 'localhost' || host.endsWith('.localhost')) return '127.0.0.1'
  return isIP(host) === 0 ? undefined : host
}

/** The host without the brackets of an IPv6 address or the dot that ends a full domain name. */
export function hostOf(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}
