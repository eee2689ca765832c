// The keyring and the operator token: the first start creates both files in the data folder.
import { linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Keyring, newKeyringText, parseKeyring } from '../runtime/keyring.ts'
import type { Random } from '../runtime/random.ts'
import { syncFolder } from '../runtime/sync-folder.ts'
import { errorMessage, StartError } from './start-errors.ts'

interface LoadedKeyring {
  text: string
  keyring: Keyring
}

const OPERATOR_TOKEN_BYTES = 24
const GROUP_AND_OTHER_BITS = 0o077
/** 128 bits in hex. */
export const MIN_OPERATOR_TOKEN_LENGTH = 32

/** Several processes may start at once on one data folder: the hard link makes the first file win. */
function readOrCreate(file: string, random: Random, create: () => string): { text: string; isNew: boolean } {
  const existing = readSecretIfExists(file)
  if (existing !== null) return { text: existing, isNew: false }
  try {
    // Containers that share the folder may have the same process id.
    const draft = `${file}.${process.pid}-${random.bytes(4).toString('hex')}.new`
    const isNew = linkNew(file, { draft, text: create() })
    return { text: readFileSync(file, 'utf8'), isNew }
  } catch (error) {
    throw new StartError(`${file} cannot be written (${errorMessage(error)}).`)
  }
}

/** Returns false if another process created the file first. */
function linkNew(file: string, { draft, text }: { draft: string; text: string }): boolean {
  const folder = dirname(resolve(file))
  const firstCreated = mkdirSync(folder, { recursive: true })
  writeFileSync(draft, text, { mode: 0o600, flush: true, flag: 'wx' })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    unlinkSync(draft)
  }
  syncFolders(folder, firstCreated ? dirname(firstCreated) : folder)
  return true
}

function syncFolders(from: string, to: string): void {
  syncFolder(from)
  if (from.length > to.length) syncFolders(dirname(from), to)
}

export function usualKeyringFile(dataDirectory: string): string {
  return join(dataDirectory, 'keyring.json')
}

export function loadKeyring(file: string, random: Random): LoadedKeyring {
  return parseKeyringFile(file, readOrCreate(file, random, () => newKeyringText(random)).text, random)
}

/** Never creates a keyring: a new one cannot decrypt existing data. */
export function readKeyring(file: string, random: Random): LoadedKeyring {
  const text = readSecretIfExists(file)
  if (text === null) throw new StartError(`There is no keyring at ${file}; restore the keyring of this database.`)
  return parseKeyringFile(file, text, random)
}

function parseKeyringFile(file: string, text: string, random: Random): LoadedKeyring {
  try {
    return { text, keyring: parseKeyring(text, random) }
  } catch (error) {
    throw new StartError(`The keyring ${file} cannot be used: ${errorMessage(error)}.`)
  }
}

export interface OperatorToken {
  token: string
  isNew: boolean
  /** null: the token comes from the settings. */
  file: string | null
}

export function loadOperatorToken(file: string, random: Random): OperatorToken {
  const { text, isNew } = readOrCreate(
    file,
    random,
    () => `hulaki_operator_${random.bytes(OPERATOR_TOKEN_BYTES).toString('hex')}\n`,
  )
  const token = text.trim()
  if (token.length < MIN_OPERATOR_TOKEN_LENGTH) {
    throw new StartError(
      `The operator token in ${file} must have at least ${MIN_OPERATOR_TOKEN_LENGTH} characters; ` +
        'delete the file and the next start creates a new one.',
    )
  }
  return { token, isNew, file: resolve(file) }
}

/** Other users must not be able to read a secret. Windows has no file mode for this. */
function readSecretIfExists(file: string): string | null {
  const text = readIfExists(file)
  if (text === null || process.platform === 'win32' || (statSync(file).mode & GROUP_AND_OTHER_BITS) === 0) return text
  throw new StartError(`Other users can read ${file}; run: chmod 600 '${resolve(file)}'.`)
}

export function readIfExists(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new StartError(`${file} cannot be read (${errorMessage(error)}).`)
  }
}
