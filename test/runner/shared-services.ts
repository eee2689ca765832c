// Services that the files of one shard share, each in a process of its own, so that nothing of it keeps a file's process alive.
// A service is started by the first file that asks for its roles, and ends with the shard. This module is loaded once per shard.
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'

export interface SharedService {
  url: string
  address: { host: string; port: number; user: string; password: string; database: string }
  keyringText: string
  description: object
}

const PROGRAM = join(import.meta.dirname, '..', 'harness', 'service-process.ts')

const started = new Map<string, Promise<SharedService>>()

export function shardService(roles: string): Promise<SharedService> {
  return started.getOrInsertComputed(roles, () => start(roles))
}

async function start(roles: string): Promise<SharedService> {
  const child = fork(PROGRAM, [roles], { serialization: 'json' })
  const service = await new Promise<SharedService>((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`the shared service of ${roles} did not start: exit code ${code}`)))
  })
  detach(child, roles)
  return service
}

/** The child ends by itself when the channel closes, which is when the shard has ended, however it ended. */
function detach(child: ChildProcess, roles: string): void {
  child.removeAllListeners('exit')
  // The next file that asks for these roles starts another.
  child.once('exit', () => started.delete(roles))
  child.unref()
  child.channel?.unref()
}
