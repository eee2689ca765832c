// Opens the database of the settings: the bundled one, running or stopped, or that of DATABASE_URL.
import { resolve } from 'node:path'
import { sharesSessions } from '../../actions/service/check-pooler.ts'
import { UsageError } from '../../cli/context.ts'
import { DAY_MS } from '../../domain/durations.ts'
import { hasBundledPostgres, openBundledPostgres } from '../../store/database/bundled-postgres.ts'
import { type DatabaseAddress, Db } from '../../store/database/db.ts'
import { databaseUrlFrom } from '../database-url.ts'
import { Environment } from '../environment.ts'
import { usualKeyringFile } from '../first-start.ts'
import { errorMessage, StartError } from '../start-errors.ts'
import type { CommandPorts } from './ports.ts'

export interface Places {
  /** null: the bundled PostgreSQL. */
  databaseUrl: string | null
  dataDirectory: string
  keyringFile: string
}

export function readPlaces({ settings, folder }: CommandPorts): Places {
  const env = new Environment(settings)
  const databaseUrl = databaseUrlFrom(env)
  if (env.errors.length > 0) throw new UsageError(env.errors.join('\n'))
  const dataDirectory = resolve(folder, env.text('HULAKI_DATA_DIR') ?? 'data')
  const keyringFile = resolve(folder, env.text('HULAKI_KEYRING_FILE') ?? usualKeyringFile(dataDirectory))
  return { databaseUrl, dataDirectory, keyringFile }
}

/** For messages, without user and password. */
export function describeDatabase({
  databaseUrl,
  dataDirectory,
}: Pick<Places, 'databaseUrl' | 'dataDirectory'>): string {
  return databaseUrl === null
    ? `The database in ${dataDirectory}`
    : `The database at ${databaseUrl.replace(/\?.*$/, '').replace(/\/\/.*@/, '//')}`
}

/** A database with all its data; a missing bundled one is not created. */
export async function withSource<Result>(places: Places, work: (db: Db) => Promise<Result>): Promise<Result> {
  const { databaseUrl, dataDirectory } = places
  if (databaseUrl === null && !hasBundledPostgres(dataDirectory))
    throw new StartError(`There is no database in ${dataDirectory}; set HULAKI_DATA_DIR or DATABASE_URL.`)
  return withTarget(places, work)
}

/** The bundled database is created if it does not exist. */
export async function withTarget<Result>(
  places: Pick<Places, 'databaseUrl' | 'dataDirectory'>,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  const name = describeDatabase(places)
  if (places.databaseUrl !== null) return withDatabase(places.databaseUrl, { name, work })
  const bundled = await openBundledPostgres(places.dataDirectory)
  try {
    return await withDatabase(bundled.connection, { name, work })
  } finally {
    await bundled.release()
  }
}

/** One connection copies, the other one migrates. */
const CONNECTIONS = 2
/** Reading a table has no limit in time. */
const ANSWER_MS = DAY_MS

async function withDatabase<Result>(
  address: DatabaseAddress,
  { name, work }: { name: string; work: (db: Db) => Promise<Result> },
): Promise<Result> {
  const db = new Db(address, { connections: CONNECTIONS, answerMs: ANSWER_MS })
  try {
    await db.ping().catch((error) => {
      throw new StartError(`${name} is not available (${errorMessage(error)}).`, { cause: error })
    })
    if (await sharesSessions(db))
      throw new StartError(`${name} is behind a pooler that shares sessions; connect to the server directly.`)
    return await work(db)
  } finally {
    await db.close()
  }
}
