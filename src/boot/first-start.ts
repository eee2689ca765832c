// The keyring and the operator token: the first start creates both files in the data folder.
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Chance } from '../runtime/chance.ts'
import { type Keyring, newKeyringText, parseKeyring } from '../runtime/keyring.ts'
import { errorMessage, StartFault } from './start-errors.ts'

interface LoadedKeyring {
  text: string
  keyring: Keyring
}

const OPERATOR_TOKEN_BYTES = 24
/** As many characters as 16 random bytes in hex, so that the token cannot be guessed. */
export const SHORTEST_OPERATOR_TOKEN = 32

/** Several processes may start at once on one data folder: the hard link makes the first file win. */
function readOrCreate(file: string, create: () => string): { text: string; made: boolean } {
  const existing = readSecretIfExists(file)
  if (existing !== null) return { text: existing, made: false }
  const draft = `${file}.${process.pid}.new`
  const folder = dirname(resolve(file))
  try {
    const firstCreated = mkdirSync(folder, { recursive: true })
    writeFileSync(draft, create(), { mode: 0o600, flush: true })
    try {
      linkSync(draft, file)
    } finally {
      unlinkSync(draft)
    }
    syncFolders(folder, firstCreated ? dirname(firstCreated) : folder)
  } catch (fault) {
    const text = readSecretIfExists(file)
    if (text === null) throw new StartFault(`${file} cannot be written (${errorMessage(fault)}).`)
    return { text, made: false }
  }
  return { text: readFileSync(file, 'utf8'), made: true }
}

/** A new file name survives a power loss only after its folder is synced. Windows cannot sync folders and does not need to. */
function syncFolders(from: string, to: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(from, 'r')
  try {
    fsyncSync(folder)
  } catch (fault) {
    // Some network file systems cannot sync folders.
    if (!['EINVAL', 'EBADF'].includes((fault as NodeJS.ErrnoException).code ?? '')) throw fault
  } finally {
    closeSync(folder)
  }
  if (from.length > to.length) syncFolders(dirname(from), to)
}

export function loadKeyring(file: string, chance: Chance): LoadedKeyring {
  return parseKeyringFile(file, readOrCreate(file, () => newKeyringText(chance)).text, chance)
}

/** Never creates a keyring: a new one cannot decrypt existing data. */
export function readKeyring(file: string, chance: Chance): LoadedKeyring {
  const text = readSecretIfExists(file)
  if (text === null) throw new StartFault(`There is no keyring at ${file}; restore the keyring of this database.`)
  return parseKeyringFile(file, text, chance)
}

function parseKeyringFile(file: string, text: string, chance: Chance): LoadedKeyring {
  try {
    return { text, keyring: parseKeyring(text, chance) }
  } catch (fault) {
    throw new StartFault(`The keyring ${file} cannot be used: ${errorMessage(fault)}.`)
  }
}

export interface OperatorToken {
  token: string
  made: boolean
  /** null: the token comes from the settings. */
  file: string | null
}

export function loadOperatorToken(file: string, chance: Chance): OperatorToken {
  const { text, made } = readOrCreate(
    file,
    () => `hulaki_operator_${chance.bytes(OPERATOR_TOKEN_BYTES).toString('hex')}\n`,
  )
  const token = text.trim()
  if (token.length < SHORTEST_OPERATOR_TOKEN) {
    const least = `at least ${SHORTEST_OPERATOR_TOKEN} characters`
    throw new StartFault(
      `The operator token in ${file} must have ${least}; delete the file and the next start creates a new one.`,
    )
  }
  return { token, made, file: resolve(file) }
}

/** Other users must not be able to read a secret. Windows has no file mode for this. */
function readSecretIfExists(file: string): string | null {
  const text = readIfExists(file)
  if (text === null || process.platform === 'win32' || (statSync(file).mode & OPEN_TO_OTHERS) === 0) return text
  throw new StartFault(`Other users can read ${file}; run: chmod 600 '${resolve(file)}'.`)
}

const OPEN_TO_OTHERS = 0o077

export function readIfExists(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'ENOENT') return null
    throw new StartFault(`${file} cannot be read (${errorMessage(fault)}).`)
  }
}
