// The files a first start makes in the data folder and every later one reads: the keyring and the operator token.
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
import { reason, StartFault } from './start-sentence.ts'

interface LoadedKeyring {
  text: string
  keyring: Keyring
}

const OPERATOR_TOKEN_BYTES = 24
/** What guards everything is not to be guessed: as many as 16 random bytes have in hex. */
export const SHORTEST_OPERATOR_TOKEN = 32

/** Many processes may start at once on one data folder: the file that stands first is everybody's. */
function readOrMake(file: string, make: () => string): { text: string; made: boolean } {
  const known = readSecretIfThere(file)
  if (known !== null) return { text: known, made: false }
  const draft = `${file}.${process.pid}.new`
  const folder = dirname(resolve(file))
  try {
    const firstMade = mkdirSync(folder, { recursive: true })
    writeFileSync(draft, make(), { mode: 0o600, flush: true })
    try {
      linkSync(draft, file)
    } finally {
      unlinkSync(draft)
    }
    syncFolders(folder, firstMade ? dirname(firstMade) : folder)
  } catch (fault) {
    const text = readSecretIfThere(file)
    if (text === null) throw new StartFault(`${file} cannot be written (${reason(fault)}).`)
    return { text, made: false }
  }
  return { text: readFileSync(file, 'utf8'), made: true }
}

/** A name survives a power cut once its folder is on disk, as what the database was told of the file does. Windows cannot, and need not. */
function syncFolders(from: string, to: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(from, 'r')
  try {
    fsyncSync(folder)
  } catch (fault) {
    // Some file systems over a network know no such thing for folders.
    if (!['EINVAL', 'EBADF'].includes((fault as NodeJS.ErrnoException).code ?? '')) throw fault
  } finally {
    closeSync(folder)
  }
  if (from.length > to.length) syncFolders(dirname(from), to)
}

export function loadKeyring(file: string, chance: Chance): LoadedKeyring {
  return parsed(file, readOrMake(file, () => newKeyringText(chance)).text, chance)
}

/** Never makes one: a new keyring opens nothing that was sealed with another. */
export function readKeyring(file: string, chance: Chance): LoadedKeyring {
  const text = readSecretIfThere(file)
  if (text === null) throw new StartFault(`There is no keyring at ${file}; bring the one this database was used with.`)
  return parsed(file, text, chance)
}

function parsed(file: string, text: string, chance: Chance): LoadedKeyring {
  try {
    return { text, keyring: parseKeyring(text, chance) }
  } catch (fault) {
    throw new StartFault(`The keyring ${file} cannot be used: ${reason(fault)}.`)
  }
}

export interface OperatorToken {
  token: string
  made: boolean
  /** Where it is kept; null where it was given. */
  file: string | null
}

export function loadOperatorToken(file: string, chance: Chance): OperatorToken {
  const { text, made } = readOrMake(
    file,
    () => `hulaki_operator_${chance.bytes(OPERATOR_TOKEN_BYTES).toString('hex')}\n`,
  )
  const token = text.trim()
  if (token.length < SHORTEST_OPERATOR_TOKEN) {
    const least = `at least ${SHORTEST_OPERATOR_TOKEN} characters`
    throw new StartFault(
      `The operator token in ${file} must have ${least}; remove the file, and the next start makes one.`,
    )
  }
  return { token, made, file: resolve(file) }
}

/** Whoever may read it has all that it guards; Windows has other ways to say who may. */
function readSecretIfThere(file: string): string | null {
  const text = readIfThere(file)
  if (text === null || process.platform === 'win32' || (statSync(file).mode & OPEN_TO_OTHERS) === 0) return text
  throw new StartFault(`${file} is open to other users of this machine; close it with: chmod 600 '${resolve(file)}'.`)
}

const OPEN_TO_OTHERS = 0o077

export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'ENOENT') return null
    throw new StartFault(`${file} cannot be read (${reason(fault)}).`)
  }
}
