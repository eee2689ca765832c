// Reads and checks the certificate and key for HTTPS, at the start and whenever the files change.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { TlsPair } from '../http/server.ts'
import type { Log } from '../runtime/log.ts'
import type { Environment } from './environment.ts'
import { errorMessage } from './start-errors.ts'

interface TlsFiles {
  certFile: string
  keyFile: string
}

/** The files, and what they contained at the start. Workers get the contents, so that all processes use the same pair. */
export interface TlsSettings {
  files: TlsFiles
  pair: TlsPair
}

/** Polls, because a notification of the system misses a replaced folder or link, and does not exist on network disks. */
const WATCH_MS = 2_000

export function tlsFrom(env: Environment): TlsSettings | null {
  const certFile = env.text('HULAKI_TLS_CERT_FILE')
  const keyFile = env.text('HULAKI_TLS_KEY_FILE')
  if (certFile && keyFile) {
    const files = { certFile, keyFile }
    const read = readTlsPair(files)
    if ('pair' in read) return { files, pair: read.pair }
    env.errors.push(...read.errors)
  } else if (certFile || keyFile) env.errors.push('HULAKI_TLS_CERT_FILE and HULAKI_TLS_KEY_FILE must both be set.')
  return null
}

/** Checked before use, because OpenSSL's errors name neither the setting nor the file. */
function readTlsPair({ certFile, keyFile }: TlsFiles): { pair: TlsPair } | { errors: string[] } {
  const cert = readChecked(certFile, (text) => new X509Certificate(text))
  const key = readChecked(keyFile, createPrivateKey)
  if ('error' in cert || 'error' in key) {
    const errors: string[] = []
    if ('error' in cert)
      errors.push(`HULAKI_TLS_CERT_FILE: cannot read a PEM certificate from ${certFile} (${cert.error}).`)
    if ('error' in key)
      errors.push(`HULAKI_TLS_KEY_FILE: cannot read a PEM private key from ${keyFile} (${key.error}).`)
    return { errors }
  }
  const pair = { cert: cert.text, key: key.text }
  try {
    createSecureContext(pair)
    return { pair }
  } catch (error) {
    const which = `${keyFile} does not match ${certFile}`
    return { errors: [`HULAKI_TLS_KEY_FILE and HULAKI_TLS_CERT_FILE: ${which} (${errorMessage(error)}).`] }
  }
}

function readChecked(file: string, check: (text: string) => unknown): { text: string } | { error: string } {
  try {
    const text = readFileSync(file, 'utf8')
    check(text)
    return { text }
  } catch (error) {
    return { error: errorMessage(error) }
  }
}

interface TlsWatch {
  /** Reads the files at once. */
  reload(): void
  stop(): void
}

/** Calls `use` with each new pair. While the files are incomplete or do not match, the current pair stays in use. */
export function watchTlsFiles({ files, pair }: TlsSettings, log: Log, use: (pair: TlsPair) => void): TlsWatch {
  let current = pair
  const reload = () => {
    const read = readTlsPair(files)
    if ('errors' in read) log.error({ errors: read.errors }, 'certificate reload failed, keeping the current one')
    else if (read.pair.cert === current.cert && read.pair.key === current.key) log.debug('certificate unchanged')
    else {
      current = read.pair
      use(current)
      const { validTo } = new X509Certificate(current.cert)
      log.info({ certFile: files.certFile, validTo }, 'certificate reloaded')
    }
  }
  const paths = new Set([files.certFile, files.keyFile])
  for (const path of paths) watchFile(path, { interval: WATCH_MS, persistent: false }, reload)
  // The files may have changed since the settings were read.
  reload()
  return {
    reload,
    stop: () => {
      for (const path of paths) unwatchFile(path, reload)
    },
  }
}
