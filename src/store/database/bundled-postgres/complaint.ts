// Why a server does not start, as far as its files and its log tell.
import { lstat, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'

export async function complaintOf(cluster: Cluster): Promise<string> {
  const foreign = await findForeignFile(cluster)
  if (foreign !== undefined) return `${foreign} belongs to another user than the one it runs as`
  const words = await lastFatal(cluster)
  return words === undefined ? 'it does not start' : `it does not start: ${words}`
}

/** The log written last: until the server has opened its own, that is start.log. */
export async function latestLog({ home }: Cluster): Promise<string> {
  const directory = join(home, 'log')
  const names = await readdir(directory).catch(() => [])
  const logs = await Promise.all(
    names.map(async (name) => ({ path: join(directory, name), at: (await stat(join(directory, name))).mtimeMs })),
  )
  return logs.toSorted((a, b) => b.at - a.at)[0]?.path ?? directory
}

/** PostgreSQL wants all of them to be its own, and often cannot even say so: then its log is not its own either. */
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

/** Of this start: its settings are written right before it, so what was logged earlier is of another. */
async function lastFatal(cluster: Cluster): Promise<string | undefined> {
  const { mtimeMs: begun } = await stat(join(cluster.home, 'hulaki.conf'))
  const log = await readFile(await latestLog(cluster), 'utf8').catch(() => '')
  const [, at = '', words] = [...log.matchAll(/^(\S+ \S+ \w+) \[\d+\] (?:FATAL|PANIC): +(.+)$/gm)].at(-1) ?? []
  return Date.parse(at) >= Math.floor(begun) ? words : undefined
}
