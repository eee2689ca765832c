// `hulaki move`: copies the database into another server, while the service is stopped.
import { createHash } from 'node:crypto'
import {
  type CopySource,
  fillDatabase,
  moveDatabase,
  type Snapshot,
  undoMove,
} from '../../actions/service/copy-database.ts'
import { type LocalCommand, UsageError } from '../../cli/context.ts'
import { finishCopy, isCopyUnfinished } from '../../store/database/copy-marks.ts'
import { urlsOf } from '../../store/database/hosts.ts'
import { databaseUrlFrom } from '../database-url.ts'
import { Environment } from '../environment.ts'
import { describeDatabase, readPlaces, withSource, withTarget } from './databases.ts'
import type { CommandPorts } from './ports.ts'
import { Progress } from './progress.ts'

export function move(command: LocalCommand, ports: CommandPorts): Promise<object> {
  const { to, undo } = command.values
  if ((to === undefined) === (undo !== true))
    throw new UsageError('Give --to with the URL of the new database, or --undo.')
  return undo ? undoLastMove(command, ports) : moveAway(command, ports)
}

async function undoLastMove({ note }: LocalCommand, ports: CommandPorts): Promise<object> {
  await withSource(readPlaces(ports), undoMove)
  note('Services start on this database again. Start none on the new one: both would send the same messages.')
  return { undone: true }
}

async function moveAway({ values, note }: LocalCommand, ports: CommandPorts): Promise<object> {
  const { signal } = ports
  const places = readPlaces(ports)
  const databaseUrl = targetFrom(String(values.to))
  const progress = new Progress(note, ports.clock)
  const counted = { tables: 0, rows: 0, messages: 0 }
  const onTable = (table: string, { rows }: { rows: number }, isNew: boolean) => {
    counted.tables += 1
    counted.rows += rows
    if (table === 'message') counted.messages = rows
    if (!isNew && rows > 0) note(`${table}: ${rows} rows were copied before`)
  }
  const newPlaces = { ...places, databaseUrl }
  const name = describeDatabase(newPlaces)
  const options = { now: ports.clock.now(), name, onTable }
  await withTarget(newPlaces, (target) =>
    withSource(places, async (db) =>
      moveDatabase(db, {
        target: name,
        isContinued: await isCopyUnfinished(target),
        copy: (snapshot) => fillDatabase(target, sourceOf(snapshot, { progress, signal }), options),
        finish: () => finishCopy(target),
      }),
    ),
  )
  note('Moved. Set DATABASE_URL, with the password, before the next start:')
  note(`  DATABASE_URL=${databaseUrl}`)
  note(
    'Keep the keyring and the data folder. No service starts on the old database; hulaki move --undo makes it usable again.',
  )
  return { ...counted, seconds: progress.seconds() }
}

/** Other users of the machine can read a command line, so the password comes from PGPASSWORD. */
function targetFrom(to: string): string {
  const env = new Environment({ DATABASE_URL: to })
  const url = databaseUrlFrom(env)
  if (url === null || env.errors.length > 0)
    throw new UsageError(env.errors.map((error) => error.replace('DATABASE_URL', '--to')).join('\n'))
  const hosts = urlsOf(url).map((it) => URL.parse(it.replace('@/', '@localhost/')))
  if (hosts.some((host) => !host || host.password || hasPassword(host.searchParams)))
    throw new UsageError('Other users can read a command line: set PGPASSWORD, and leave the password out of --to.')
  return url
}

function hasPassword(parameters: URLSearchParams): boolean {
  return parameters.keys().some((name) => name.toLowerCase() === 'password')
}

function sourceOf(
  { shape, copyOut }: Snapshot,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): CopySource {
  const revision = JSON.stringify(shape.revision)
  return {
    // The rows are compared too, so the same database need not be recognized with certainty.
    id: `move of ${createHash('sha256').update(revision).digest('hex')}`,
    shape,
    copyOut: (table, write) => copyOut(table, progress.through(table.name, { write, signal })),
  }
}
