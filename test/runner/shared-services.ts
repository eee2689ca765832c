// Services shared by the files of one shard, each in its own process. The first file that needs the roles starts the service, and it ends
// with the shard. Loaded once per shard.
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'

interface SharedService {
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

/** The child exits when the channel closes with the shard. */
function detach(child: ChildProcess, roles: string): void {
  child.removeAllListeners('exit')
  // The next file that needs these roles starts another.
  child.once('exit', () => started.delete(roles))
  child.unref()
  child.channel?.unref()
}
