// Services, data folders and requests of tests that run the service as a separate process.
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { openBundledPostgres } from '../../src/store/database/bundled-postgres.ts'
import { ChildService, type SpawnOptions } from './child-service.ts'
import { keepLog } from './log-leaks.ts'
import type { Connection } from './server.ts'

export { CHECKOUT, isAlive } from './child-service.ts'

/** Processes and folders last until the end of the test file. */
const cleanups: (() => void | Promise<void>)[] = []
after(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup()
})

/** Killed at the end of the test file, and its log is searched for secrets. */
export class ServiceProcess extends ChildService {
  constructor(options: SpawnOptions) {
    super(options)
    cleanups.push(() => this.signal('SIGKILL'))
    keepLog(() => this.logged())
  }
}

/** Creates a data folder, which is deleted after the tests together with its database server. */
export function dataFolder({ name = 'data', mode = 0o755 } = {}): string {
  const parent = mkdtempSync(join(tmpdir(), 'hulaki process-'))
  chmodSync(parent, mode)
  const folder = join(parent, name)
  cleanups.push(async () => {
    await stopDatabase(folder)
    rmSync(parent, { recursive: true, force: true })
  })
  return folder
}

async function stopDatabase(folder: string): Promise<void> {
  const isCreated = existsSync(join(folder, 'postgres'))
  const postgres = isCreated ? await openBundledPostgres(folder).catch(() => null) : null
  await postgres?.release()
  // For root, the cluster may be outside the data folder.
  if (postgres) rmSync(postgres.directory, { recursive: true, force: true })
}

export function urlOf({ host, port, user, password, database }: Connection): string {
  const where = new URLSearchParams({ host, port: String(port) })
  return `postgres://${user}:${encodeURIComponent(password)}@localhost/${database}?${where}`
}

/** The HTTP status, or 0 without a response. */
export async function statusOf(url: string): Promise<number> {
  return fetch(url).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 0,
  )
}
