// Describes failed HTTP connections for owners of webhooks (§6.4) and operators of carriers.
import { errors } from 'undici'
import { DialError } from './address-guard.ts'

const TEXT_BY_CODE: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed before a response',
  EPIPE: 'connection closed before a response',
  UND_ERR_SOCKET: 'connection closed before a response',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  ETIMEDOUT: 'host unreachable',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate is for another host',
  CERT_HAS_EXPIRED: 'certificate has expired',
  CERT_NOT_YET_VALID: 'certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate is not from a trusted authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate is not from a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate is not from a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate is not from a trusted authority, or its chain is incomplete',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate is not from a trusted authority, or its chain is incomplete',
  UND_ERR_HEADERS_OVERFLOW: 'response headers too large',
}

export function describeConnectionFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed'
  if (error instanceof DialError) return error.message
  if (error instanceof errors.HTTPParserError) return 'response is not HTTP'
  const code = 'code' in error ? String(error.code) : error.name
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return 'TLS handshake failed'
  return TEXT_BY_CODE[code] ?? `the connection failed (${code})`
}
