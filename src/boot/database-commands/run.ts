// Runs `hulaki backup`, `restore` and `move` (D81), and describes their errors.
import { CopyError } from '../../actions/service/copy-database.ts'
import { BackupFileError } from '../../backup/sealed-file.ts'
import { type LocalCommand, LocalError, UsageError } from '../../cli/context.ts'
import { describeFileError } from '../../cli/file-errors.ts'
import { BundledPostgresError } from '../../store/database/bundled-postgres.ts'
import { DISK_FULL, isOutage, sqlState } from '../../store/database/db.ts'
import { SchemaError } from '../../store/database/migrations.ts'
import { errorMessage, StartError } from '../start-errors.ts'
import { backUp } from './backup.ts'
import { move } from './move.ts'
import type { CommandPorts } from './ports.ts'
import { restore } from './restore.ts'

const COMMANDS: Readonly<Record<string, (command: LocalCommand, ports: CommandPorts) => Promise<object>>> = {
  backup: backUp,
  restore,
  move,
}

export async function runDatabaseCommand(command: LocalCommand, ports: CommandPorts): Promise<Record<string, unknown>> {
  const run = COMMANDS[command.name]
  if (!run) throw new Error(`there is no command ${command.name}`)
  try {
    return { ...(await run(command, ports)) }
  } catch (error) {
    if (error instanceof UsageError || error instanceof LocalError) throw error
    if (ports.signal.aborted) throw new LocalError('Stopped; the same command can be run again.')
    throw new LocalError(describeFailure(error), { cause: error })
  }
}

const FOR_PEOPLE = [CopyError, BackupFileError, BundledPostgresError, SchemaError, StartError]

function describeFailure(error: unknown): string {
  const message = errorMessage(error)
  if (FOR_PEOPLE.some((kind) => error instanceof kind)) return message
  if (sqlState(error) === DISK_FULL)
    return `The disk of the database is full (${message}); free space and run the command again.`
  const ofFile = describeFileError(error)
  if (ofFile !== null) return ofFile
  if (isOutage(error)) return `The database is not available (${message}).`
  return sqlState(error) === undefined
    ? `The command failed: ${message}.`
    : `The database rejected a statement (${message}).`
}
