// Reads and checks the certificate and key for HTTPS.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Environment } from './environment.ts'
import { errorMessage } from './start-errors.ts'

export interface TlsFiles {
  certFile: string
  keyFile: string
}

export function tlsFrom(env: Environment): TlsFiles | null {
  const certFile = env.text('HULAKI_TLS_CERT_FILE')
  const keyFile = env.text('HULAKI_TLS_KEY_FILE')
  if (certFile && keyFile) {
    env.errors.push(...tlsErrors(certFile, keyFile))
    return { certFile, keyFile }
  }
  if (certFile || keyFile) env.errors.push('HULAKI_TLS_CERT_FILE and HULAKI_TLS_KEY_FILE must both be set.')
  return null
}

/** Checked before the start, because OpenSSL's errors name neither the setting nor the file. */
function tlsErrors(certFile: string, keyFile: string): string[] {
  const read = (file: string) => readFileSync(file, 'utf8')
  const errors = [
    ...errorOf(
      `HULAKI_TLS_CERT_FILE: cannot read a PEM certificate from ${certFile}`,
      () => new X509Certificate(read(certFile)),
    ),
    ...errorOf(`HULAKI_TLS_KEY_FILE: cannot read a PEM private key from ${keyFile}`, () =>
      createPrivateKey(read(keyFile)),
    ),
  ]
  if (errors.length > 0) return errors
  return errorOf(`HULAKI_TLS_KEY_FILE and HULAKI_TLS_CERT_FILE: ${keyFile} does not match ${certFile}`, () =>
    createSecureContext({ cert: read(certFile), key: read(keyFile) }),
  )
}

function errorOf(sentence: string, attempt: () => unknown): string[] {
  try {
    attempt()
    return []
  } catch (error) {
    return [`${sentence} (${errorMessage(error)}).`]
  }
}
