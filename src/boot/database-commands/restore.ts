// `hulaki restore`: fills an empty database, or a new data folder, from a backup.
import { existsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type CopySource, fillDatabase } from '../../actions/service/copy-database.ts'
import { BackupRows, type CheckedBackup, checkBackup } from '../../backup/backup-file.ts'
import { BackupFileError, type OpenedFile, openSealed } from '../../backup/sealed-file.ts'
import type { LocalCommand } from '../../cli/context.ts'
import { finishCopy } from '../../store/database/copy-marks.ts'
import { checkRevision } from '../../store/database/migrations.ts'
import { keyringBesides } from './backup.ts'
import { describeDatabase, type Places, readPlaces, withTarget } from './databases.ts'
import { placeKeyring, readKeyringBackup, requireSameKeyring } from './keyring-file.ts'
import { askPassphrase } from './passphrase.ts'
import type { CommandPorts } from './ports.ts'
import { Progress } from './progress.ts'

export async function restore(command: LocalCommand, ports: CommandPorts): Promise<object> {
  const name = resolve(command.positionals[0] ?? '')
  if (!existsSync(name)) throw new BackupFileError(`There is no file ${name}.`)
  if (statSync(name).isDirectory()) throw new BackupFileError(`${name} is a folder; name the file of a backup.`)
  const passphrase = passphraseOf(command, ports)
  const file = await open(name, 'r')
  try {
    const opened = await openSealed(name, file, { content: 'database', passphrase })
    if (opened.key === null && command.passphrase !== null)
      throw new BackupFileError(
        `${name} is not encrypted, but a passphrase is given; without encryption anyone could have changed it.`,
      )
    command.note('Checking the backup.')
    const checked = await checkBackup(opened, ports.signal)
    const { version, takenAt, shape } = checked.description
    checkRevision(shape.revision, `The backup (of Hulaki ${version})`)
    const summary = { takenAt, version, messages: checked.totals.message?.rows ?? 0, rows: countRows(checked) }
    if (command.values.check) return { ...summary, complete: true }
    const places = readPlaces(ports)
    const keyring = await findKeyring(command, { name, places, checked, passphrase, ports })
    const progress = new Progress(command.note, ports.clock)
    const source = sourceOf(opened, checked, { progress, signal: ports.signal })
    const onAccepted = async () => {
      if (keyring !== null) await placeKeyring(places.keyringFile, keyring, ports.random)
    }
    await withTarget(places, async (db) => {
      await fillDatabase(db, source, { now: ports.clock.now(), name: describeDatabase(places), onAccepted })
      await finishCopy(db)
    })
    command.note('Restored. The service sends the messages that were queued when the backup was taken.')
    command.note('To cancel them first, start it with HULAKI_ROLES=api; to send them, start it as usual.')
    if (!existsSync(places.keyringFile))
      command.note(
        `There is no keyring next to the backup: put that of this database at ${places.keyringFile} before the start.`,
      )
    return { ...summary, seconds: progress.seconds() }
  } finally {
    await file.close()
  }
}

/** Asked for once, also if both files are encrypted. */
function passphraseOf({ passphrase }: LocalCommand, { signal }: CommandPorts): () => Promise<string> {
  let known = passphrase
  return async () => {
    known ??= await askPassphrase('Passphrase of the backup: ', signal)
    return known
  }
}

function countRows({ totals }: CheckedBackup): number {
  return Object.values(totals).reduce((sum, { rows }) => sum + rows, 0)
}

function sourceOf(
  opened: OpenedFile,
  checked: CheckedBackup,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): CopySource {
  const rows = new BackupRows(opened, checked)
  const { id, shape } = checked.description
  return {
    id,
    shape,
    copyOut: ({ name }, write) => rows.copyOut(name, progress.through(name, { write, signal })),
  }
}

interface KeyringOptions {
  /** The backup. */
  name: string
  places: Places
  checked: CheckedBackup
  passphrase: () => Promise<string>
  ports: CommandPorts
}

/** The keyring to put in place; null if it is there already, or is not given. */
async function findKeyring(
  { values }: LocalCommand,
  { name, places, checked, passphrase, ports: { random } }: KeyringOptions,
): Promise<string | null> {
  const { keys } = checked.description.shape
  const { keyringFile } = places
  if (existsSync(keyringFile)) {
    requireSameKeyring(keyringFile, keys, random)
    return null
  }
  const beside = keyringBesides(name)
  const given = values.keyring === undefined ? beside : resolve(String(values.keyring))
  if (values.keyring !== undefined || existsSync(beside)) return readKeyringBackup(given, keys, { passphrase, random })
  return null
}
