// `hulaki move`: copies the database into another server, while the service is stopped.
import { createHash } from 'node:crypto'
import { type CopySource, fillDatabase, type Snapshot, withSnapshot } from '../../actions/service/copy-database.ts'
import { type LocalCommand, UsageError } from '../../cli/context.ts'
import { markMovedAway } from '../../store/database/copy-marks.ts'
import { urlsOf } from '../../store/database/hosts.ts'
import { databaseUrlFrom } from '../database-url.ts'
import { Environment } from '../environment.ts'
import { readPlaces, withSource, withTarget } from './databases.ts'
import type { CommandPorts } from './ports.ts'
import { Progress } from './progress.ts'

export async function move({ values, note }: LocalCommand, ports: CommandPorts): Promise<object> {
  const { signal } = ports
  const places = readPlaces(ports)
  const databaseUrl = targetFrom(String(values.to))
  const progress = new Progress(note)
  const counted = { tables: 0, rows: 0, messages: 0 }
  const onTable = (table: string, { rows }: { rows: number }, isNew: boolean) => {
    counted.tables += 1
    counted.rows += rows
    if (table === 'message') counted.messages = rows
    if (!isNew && rows > 0) note(`${table}: ${rows} rows were copied before`)
  }
  await withTarget({ ...places, databaseUrl }, (target) =>
    withSource(places, async (db) => {
      await withSnapshot(db, { isFrozen: true }, (snapshot) =>
        fillDatabase(target, sourceOf(snapshot, { progress, signal }), { now: ports.clock.now(), onTable }),
      )
      await markMovedAway(db)
    }),
  )
  note('Moved. Set DATABASE_URL, with the password, before the next start:')
  note(`  DATABASE_URL=${databaseUrl}`)
  note(
    'Keep the keyring and the data folder. No service starts on the old database, which is marked by its empty table moved_away.',
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
  if (hosts.some((host) => !host || host.password || host.searchParams.has('password')))
    throw new UsageError('Other users can read a command line: set PGPASSWORD, and leave the password out of --to.')
  return url
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
