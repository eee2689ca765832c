// A free port for a service that must know its URL before it listens. It is below the ephemeral range, so that no other connection takes it.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const LOWEST = 20_000
/** The start of Linux's ephemeral range; other systems start higher. */
const HANDED_OUT_FROM = 32_768

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HANDED_OUT_FROM)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
