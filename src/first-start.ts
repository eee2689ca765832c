// The files a first start makes in the data folder and every later one reads: the keyring and the operator token.
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Chance } from './runtime/chance.ts'
import { type Keyring, newKeyringText, parseKeyring } from './runtime/keyring.ts'
import { reason, StartFault } from './start-fault.ts'

const OPERATOR_TOKEN_BYTES = 24

/** Many processes may start at once on one data folder: the file that stands first is everybody's. */
function readOrMake(file: string, make: () => string): { text: string; made: boolean } {
  const known = readIfThere(file)
  if (known !== null) return { text: known, made: false }
  const draft = `${file}.${process.pid}.new`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(draft, make(), { mode: 0o600 })
    try {
      linkSync(draft, file)
    } finally {
      unlinkSync(draft)
    }
  } catch (fault) {
    const text = readIfThere(file)
    if (text === null) throw new StartFault(`${file} cannot be written (${reason(fault)}).`)
    return { text, made: false }
  }
  return { text: readFileSync(file, 'utf8'), made: true }
}

export function loadKeyring(file: string, chance: Chance): { text: string; keyring: Keyring } {
  const { text } = readOrMake(file, () => newKeyringText(chance))
  try {
    return { text, keyring: parseKeyring(text, chance) }
  } catch (fault) {
    throw new StartFault(`The keyring ${file} cannot be used: ${reason(fault)}.`)
  }
}

export function loadOperatorToken(file: string, chance: Chance): { token: string; made: boolean } {
  const { text, made } = readOrMake(
    file,
    () => `hulaki_operator_${chance.bytes(OPERATOR_TOKEN_BYTES).toString('hex')}\n`,
  )
  return { token: text.trim(), made }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'ENOENT') return null
    throw new StartFault(`${file} cannot be read (${reason(fault)}).`)
  }
}
