// Validates a webhook URL when it is saved (§5.5, D31). Host names are checked again, by their addresses, at each connection.
import { isIP } from 'node:net'
import { specialKind } from './special-addresses.ts'

type UrlVerdict = { kind: 'accepted'; url: string } | { kind: 'refused'; why: string }

/** The operator's exceptions to the special addresses (D31). */
export type IsAllowedAddress = (address: string) => boolean

const MAX_URL_LENGTH = 2048
/** D46: how to receive webhooks on a local computer. */
const LISTEN = '; to receive webhooks on your own computer: hulaki listen <client> --forward-to <address>'

/** Returns an accepted URL in its canonical form, which is stored and used. */
export function validateWebhookUrl(text: string, isAllowed: IsAllowedAddress): UrlVerdict {
  if (text.length > MAX_URL_LENGTH) return refused(`must have at most ${MAX_URL_LENGTH} characters`)
  // URL would silently remove these, and the stored URL would differ from the given one.
  if (/[\s\p{Cc}]/u.test(text)) return refused('must not contain white space or control characters')
  const url = URL.parse(text)
  if (url === null) return refused('is not a URL')
  const address = addressWithoutDns(url.hostname)
  const isHere = address !== undefined && specialKind(address) === 'loopback'
  if (url.protocol !== 'https:') return refused(`must begin with https://${url.protocol === 'http:' ? LISTEN : ''}`)
  if (url.username !== '' || url.password !== '') return refused('must not contain a user name or password')
  if (hostOf(url.hostname) === '') return refused('must name a host')
  const kind = address === undefined ? undefined : forbiddenKind(address, isAllowed)
  if (kind !== undefined) return refused(`must not point to a special address (${kind})${isHere ? LISTEN : ''}`)
  return { kind: 'accepted', url: url.href }
}

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

function refused(why: string): UrlVerdict {
  return { kind: 'refused', why }
}
