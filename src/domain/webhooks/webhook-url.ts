// Validates a webhook URL when it is saved (§5.5, D31). Host names are checked again, by their addresses, at each connection.
import { addressWithoutDns, forbiddenKind, hostOf, type IsAllowedAddress } from '../outbound-address.ts'
import { specialKind } from '../special-addresses.ts'

type UrlVerdict = { kind: 'accepted'; url: string } | { kind: 'refused'; why: string }

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

function refused(why: string): UrlVerdict {
  return { kind: 'refused', why }
}

/** The parts of a stored URL for a request. */
export interface WebhookTarget {
  origin: string
  path: string
}

export function parseWebhookTarget(url: string): WebhookTarget {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
}
