// `hulaki backup`: one moment of the database in a file, and the keyring in another one.
import { existsSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, extname, resolve } from 'node:path'
import { withSnapshot } from '../../actions/service/copy-database.ts'
import { writeBackup } from '../../backup/backup-file.ts'
import { requireAbsent, writeWholeFile } from '../../backup/whole-file.ts'
import { type LocalCommand, UsageError } from '../../cli/context.ts'
import { VERSION } from '../../runtime/version.ts'
import { readPlaces, withSource } from './databases.ts'
import { backUpKeyring, requireSameKeyring } from './keyring-file.ts'
import { askNewPassphrase, checkPassphrase } from './passphrase.ts'
import type { CommandPorts } from './ports.ts'
import { Progress } from './progress.ts'

const ENDING = '.backup'
const KEYRING_ENDING = '.keyring'

export async function backUp(command: LocalCommand, ports: CommandPorts): Promise<object> {
  const { note } = command
  const places = readPlaces(ports)
  const takenAt = ports.clock.now()
  const { file: database, keyring } = chooseFiles(command, takenAt)
  for (const file of keyring === null ? [database] : [database, keyring]) {
    requireFolder(file)
    await requireAbsent(file)
  }
  const passphrase = await choosePassphrase(command, ports)
  const { random, signal } = ports
  const progress = new Progress(note, ports.clock)
  const description = { id: ports.ids.next(), version: VERSION, takenAt: takenAt.toISOString() }
  const counted = { rows: 0, messages: 0 }
  let isKeyringWritten = false
  await withSource(places, (db) => {
    return withSnapshot(db, (snapshot) => {
      // Before the long part.
      if (keyring !== null) requireSameKeyring(places.keyringFile, snapshot.shape.keys, random)
      return writeWholeFile(database, random, async (file) => {
        const totals = await writeBackup(file, snapshot, {
          ...{ passphrase, random, description },
          onRows: (table, bytes) => {
            signal.throwIfAborted()
            progress.add(table, bytes)
          },
        })
        counted.messages = totals.message?.rows ?? 0
        for (const { rows } of Object.values(totals)) counted.rows += rows
        // Before the database gets its name: a database whose keyring is missing cannot be used.
        if (keyring !== null) await backUpKeyring(places.keyringFile, { to: keyring, passphrase, random })
        isKeyringWritten = keyring !== null
      })
    })
  }).catch((error) => {
    // Without its database it would only be in the way of the next backup.
    if (isKeyringWritten && keyring !== null && !existsSync(database)) rmSync(keyring, { force: true })
    throw error
  })
  warnAboutKeyring(keyring, { database, passphrase, note })
  return {
    ...{ backup: database, keyring, encrypted: passphrase !== null, ...counted },
    ...{ bytes: statSync(database).size, seconds: progress.seconds() },
  }
}

function chooseFiles({ values }: LocalCommand, at: Date): { file: string; keyring: string | null } {
  const { to, keyring = true, 'keyring-to': keyringTo } = values
  if (!keyring && keyringTo !== undefined) throw new UsageError('--keyring-to and --no-keyring exclude each other.')
  const name = `hulaki-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  const file = inFolder(String(to), `${name}${ENDING}`)
  if (!keyring) return { file, keyring: null }
  const besides = keyringBesides(file)
  return { file, keyring: keyringTo === undefined ? besides : inFolder(String(keyringTo), basename(besides)) }
}

/** The default name of the keyring of a backup. */
export function keyringBesides(backup: string): string {
  return `${backup.endsWith(ENDING) ? backup.slice(0, -ENDING.length) : backup}${KEYRING_ENDING}`
}

/** A folder that is missing, such as a disk that is not mounted, is not taken for the name of a file. */
function inFolder(path: string, name: string): string {
  return path.endsWith(extname(name)) && !statSync(path, { throwIfNoEntry: false })?.isDirectory()
    ? resolve(path)
    : resolve(path, name)
}

function requireFolder(file: string): void {
  if (!existsSync(dirname(file))) throw new UsageError(`There is no folder ${dirname(file)}; create it first.`)
}

async function choosePassphrase(
  { values, passphrase }: LocalCommand,
  { signal }: CommandPorts,
): Promise<string | null> {
  if (passphrase !== null) return checkPassphrase(passphrase)
  return values.encrypt ? askNewPassphrase(signal) : null
}

interface Written {
  database: string
  passphrase: string | null
  note: (text: string) => void
}

function warnAboutKeyring(keyring: string | null, { database, passphrase, note }: Written): void {
  if (keyring === null) {
    note(
      'The keyring is not in this backup. Without it, OTP texts, webhook secrets and carrier passwords cannot be read.',
    )
    return
  }
  note('Without the keyring, OTP texts, webhook secrets and carrier passwords of the backup cannot be read.')
  if (passphrase === null && dirname(keyring) === dirname(database))
    note('Store the two files in different places: together they reveal these secrets.')
}
