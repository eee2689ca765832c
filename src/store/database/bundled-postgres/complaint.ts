// Finds out from files and log why a server does not start.
import { lstat, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'

export async function complaintOf(cluster: Cluster): Promise<string> {
  const foreign = await findForeignFile(cluster)
  if (foreign !== undefined) return `${foreign} belongs to another user than the server`
  const message = await lastFatal(cluster)
  return message === undefined ? 'it does not start' : `it does not start: ${message}`
}

/** The latest log; start.log until the server has opened its own. */
export async function latestLog({ home }: Cluster): Promise<string> {
  const directory = join(home, 'log')
  const names = await readdir(directory).catch(() => [])
  const logs = await Promise.all(
    names.map(async (name) => ({ path: join(directory, name), at: (await stat(join(directory, name))).mtimeMs })),
  )
  return logs.toSorted((a, b) => b.at - a.at)[0]?.path ?? directory
}

/** PostgreSQL must own all files, and often cannot log the error because it does not own its log either. */
async function findForeignFile({ home, programs }: Cluster): Promise<string | undefined> {
  const user = programs.account?.uid ?? process.getuid?.()
  if (user === undefined) return undefined
  for (const folder of ['cluster', 'log']) {
    const inside = await readdir(join(home, folder), { recursive: true }).catch(() => [])
    for (const path of ['.', ...inside].map((name) => join(home, folder, name))) {
      const stats = await lstat(path).catch(() => undefined)
      if (stats !== undefined && stats.uid !== user) return path
    }
  }
  return undefined
}

/** Of this start: the settings are written right before it, so earlier messages belong to another start. */
async function lastFatal(cluster: Cluster): Promise<string | undefined> {
  const { mtimeMs: startedAt } = await stat(join(cluster.home, 'hulaki.conf'))
  const log = await readFile(await latestLog(cluster), 'utf8').catch(() => '')
  const [, at = '', message] = [...log.matchAll(/^(\S+ \S+ \w+) \[\d+\] (?:FATAL|PANIC): +(.+)$/gm)].at(-1) ?? []
  return Date.parse(at) >= Math.floor(startedAt) ? message : undefined
}
