// Runs backup, restore and move like bin/hulaki, in the process of the test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import pg from 'pg'
import type { CommandPorts } from '../../src/boot/database-commands/ports.ts'
import { runDatabaseCommand } from '../../src/boot/database-commands/run.ts'
import { SystemClock } from '../../src/runtime/clock.ts'
import { Ids } from '../../src/runtime/ids.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { urlOf } from '../harness/process.ts'
import { type Connection, query } from '../harness/server.ts'
import { until } from '../harness/until.ts'

interface Typed {
  values?: Record<string, string | boolean>
  passphrase?: string
  signal?: AbortSignal
  note?: (text: string) => void
}

type Run = (name: string, positionals: string[], typed?: Typed) => Promise<Record<string, unknown>>

/** The commands with the settings of a service. */
export function commandsAt(settings: CommandPorts['settings']): Run {
  const clock = new SystemClock()
  const ids = new Ids(clock, systemRandom)
  return (name, positionals, { values = {}, passphrase, signal, note = () => {} } = {}) =>
    runDatabaseCommand(
      { name, positionals, values, passphrase: passphrase ?? null, note },
      {
        settings,
        folder: tmpdir(),
        clock,
        random: systemRandom,
        ids,
        signal: signal ?? new AbortController().signal,
      },
    )
}

export function commandsOn(address: Connection, keyringFile: string): Run {
  return commandsAt({ DATABASE_URL: urlOf(address), HULAKI_KEYRING_FILE: keyringFile })
}

/** Until the end of the file. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hulaki backup-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** All rows of all tables of the service as text, without partitions, sorted. */
export async function rowsOf(address: Connection): Promise<string[]> {
  const tables = await query(
    address,
    `select relname as name, array(select attname::text from pg_attribute where attrelid = pg_class.oid and attnum > 0
       and not attisdropped order by attname) as columns
     from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  )
  const texts = tables.map(async ({ name, columns }) => {
    const rows = await query(address, `select row(${(columns as string[]).join(', ')})::text as line from "${name}"`)
    return rows.map(({ line }) => `${name} ${line}`)
  })
  return (await Promise.all(texts)).flat().sort()
}

/** Stops a copy into this database at the end of its first table, until `release`. */
export async function holdCopy(address: Connection): Promise<{ release: () => Promise<void> }> {
  const holder = new pg.Client(address)
  // The polls are not in the transaction of the lock: a concurrent index build of the copy would wait for that transaction's snapshot.
  const poller = new pg.Client(address)
  await Promise.all([holder.connect(), poller.connect()])
  const untilAny = (text: string) => until(async () => (await poller.query(text)).rows.length > 0)
  await untilAny(`select 1 where to_regclass('unfinished_copy') is not null`)
  await holder.query('begin; lock table unfinished_copy in share row exclusive mode')
  await untilAny(`select 1 from pg_locks where not granted and relation = 'unfinished_copy'::regclass`)
  await poller.end()
  return { release: () => holder.end() }
}
