// Certificates that an operator trusts beside those that Node does, from the file that a setting names.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** A start with a file that cannot serve would only show when the first call fails. */
export function readCertificates(setting: string, file: string): string {
  try {
    const text = readFileSync(file, 'utf8')
    new X509Certificate(text)
    return text
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : String(fault)
    throw new Error(`the certificates of ${setting} cannot be read from ${file} (${why})`)
  }
}
