// Reads extra trusted certificates from the file in a setting.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Checks the file at start; otherwise only the first call would fail. */
export function readCertificates(setting: string, file: string): string {
  try {
    const text = readFileSync(file, 'utf8')
    new X509Certificate(text)
    return text
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`the certificates of ${setting} cannot be read from ${file} (${why})`)
  }
}
