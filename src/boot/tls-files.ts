// The certificate and the key that the service itself is served with.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Environment } from './environment.ts'
import { reason } from './start-sentence.ts'

export interface TlsFiles {
  certFile: string
  keyFile: string
}

export function tlsFrom(env: Environment): TlsFiles | null {
  const certFile = env.text('HULAKI_TLS_CERT_FILE')
  const keyFile = env.text('HULAKI_TLS_KEY_FILE')
  if (certFile && keyFile) {
    env.faults.push(...tlsFaults(certFile, keyFile))
    return { certFile, keyFile }
  }
  if (certFile || keyFile)
    env.faults.push('HULAKI_TLS_CERT_FILE and HULAKI_TLS_KEY_FILE go together; one of them is missing.')
  return null
}

/** Found here, before anything is brought up, and named: what OpenSSL says of them names neither setting nor file. */
function tlsFaults(certFile: string, keyFile: string): string[] {
  const read = (file: string) => readFileSync(file, 'utf8')
  const faults = [
    ...faultOf(
      `HULAKI_TLS_CERT_FILE: no certificate (PEM) can be read from ${certFile}`,
      () => new X509Certificate(read(certFile)),
    ),
    ...faultOf(`HULAKI_TLS_KEY_FILE: no private key (PEM) can be read from ${keyFile}`, () =>
      createPrivateKey(read(keyFile)),
    ),
  ]
  if (faults.length > 0) return faults
  return faultOf(`HULAKI_TLS_KEY_FILE and HULAKI_TLS_CERT_FILE: ${keyFile} does not serve with ${certFile}`, () =>
    createSecureContext({ cert: read(certFile), key: read(keyFile) }),
  )
}

function faultOf(sentence: string, attempt: () => unknown): string[] {
  try {
    attempt()
    return []
  } catch (fault) {
    return [`${sentence} (${reason(fault)}).`]
  }
}
