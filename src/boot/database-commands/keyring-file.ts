// The backup of the keyring: a copy of the file, or an encrypted one.
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BackupFileError, isSealed, openSealed, readSealed, SealedWriter } from '../../backup/sealed-file.ts'
import { requireAbsent, writeWholeFile } from '../../backup/whole-file.ts'
import { type Keyring, parseKeyring } from '../../runtime/keyring.ts'
import type { Random } from '../../runtime/random.ts'
import type { KnownKey } from '../../store/service/service.ts'
import { readIfExists, readKeyring } from '../first-start.ts'
import { errorMessage } from '../start-errors.ts'

interface BackUpOptions {
  to: string
  passphrase: string | null
  random: Random
}

export async function backUpKeyring(from: string, { to, passphrase, random }: BackUpOptions): Promise<void> {
  const { text } = readKeyring(from, random)
  await writeWholeFile(to, random, async (file) => {
    if (passphrase === null) return file.writeFile(text)
    const writer = await SealedWriter.open(file, { content: 'keyring', passphrase, random })
    await writer.write(Buffer.from(text), { isLast: true })
  })
}

interface ReadOptions {
  passphrase: () => Promise<string>
  random: Random
}

/** Reads the backup of a keyring. Throws unless it has the keys. */
export async function readKeyringBackup(
  from: string,
  keys: readonly KnownKey[],
  { passphrase, random }: ReadOptions,
): Promise<string> {
  const text = readIfExists(from)
  if (text === null) throw new BackupFileError(`There is no file ${from}.`)
  const plain = isSealed(text) ? await openKeyring(from, passphrase) : text
  requireKeys(from, parseOrReject(from, plain, random), keys)
  return plain
}

/** Throws if a file with another keyring is there. */
export function requireSameKeyring(file: string, keys: readonly KnownKey[], random: Random): void {
  requireKeys(file, readKeyring(file, random).keyring, keys)
}

export async function placeKeyring(file: string, text: string, random: Random): Promise<void> {
  await requireAbsent(file)
  await mkdir(dirname(file), { recursive: true, mode: 0o711 })
  await writeWholeFile(file, random, (handle) => handle.writeFile(text))
}

async function openKeyring(from: string, passphrase: ReadOptions['passphrase']): Promise<string> {
  const file = await open(from, 'r')
  try {
    const opened = await openSealed(from, file, { content: 'keyring', passphrase })
    const payloads: Buffer[] = []
    for await (const { bytes } of readSealed(opened)) payloads.push(bytes)
    return Buffer.concat(payloads).toString()
  } finally {
    await file.close()
  }
}

function parseOrReject(from: string, text: string, random: Random): Keyring {
  try {
    return parseKeyring(text, random)
  } catch (error) {
    throw new BackupFileError(`The keyring ${from} cannot be used: ${errorMessage(error)}.`)
  }
}

function requireKeys(from: string, keyring: Keyring, keys: readonly KnownKey[]): void {
  const held = keyring.fingerprints()
  const missing = keys.find(
    (key) =>
      !held.some((it) => it.purpose === key.purpose && it.keyId === key.keyId && it.fingerprint === key.fingerprint),
  )
  if (missing)
    throw new BackupFileError(
      `The keyring ${from} does not belong to this database: its key '${missing.keyId}' for ${missing.purpose} is missing or different.`,
    )
}
