// A port that nobody has: for a service that must know its own address before it listens. It lies below the ports that systems hand
// out themselves, or another process would get it for a connection of its own before the service listens there.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const LOWEST = 20_000
/** Linux hands out ports from here on, other systems from higher ones. */
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
