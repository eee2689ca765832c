// Describes failed HTTP connections for owners of webhooks (§6.4) and operators of carriers.
import { errors } from 'undici'
import { DialError } from './address-guard.ts'

const TEXT_BY_CODE: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer came',
  EPIPE: 'the connection was closed before an answer came',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the host cannot be reached',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is not from a trusted authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is not from a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate is not from a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is not from a trusted authority, or its chain is incomplete',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is not from a trusted authority, or its chain is incomplete',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
}

export function describeConnectionFailure(error: Error): string {
  if (error instanceof DialError) return error.message
  if (error instanceof errors.HTTPParserError) return 'the answer is not HTTP'
  const code = 'code' in error ? String(error.code) : error.name
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return 'no TLS connection could be made'
  return TEXT_BY_CODE[code] ?? `the connection failed (${code})`
}
