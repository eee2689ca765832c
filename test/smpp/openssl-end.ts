// Runs `openssl s_server` as a TLS endpoint in front of an SMSC.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { freePort } from '../harness/free-port.ts'
import { until } from '../harness/until.ts'

export const noOpenssl = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed'

export async function opensslEnd(t: TestContext, smscPort: number, args: readonly string[]) {
  const port = await freePort()
  // Quiet: standard input and output carry only the stream. It serves one connection at a time.
  const options = ['-quiet', '-accept', `127.0.0.1:${port}`, '-verify_return_error', ...args]
  const server = spawn('openssl', ['s_server', ...options], { stdio: ['pipe', 'pipe', 'pipe'] })
  const smsc = connect({ host: '127.0.0.1', port: smscPort })
  const chunks: string[] = []
  server.stderr.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
  server.stdin.on('error', () => {})
  smsc.on('error', () => {})
  server.stdout.pipe(smsc)
  smsc.pipe(server.stdin)
  t.after(() => {
    server.kill()
    smsc.destroy()
  })
  // The probe connection that checks the port does no harm.
  await until(async () => {
    const probe = connect({ host: '127.0.0.1', port })
    const isUp = await once(probe, 'connect').then(
      () => true,
      () => false,
    )
    probe.destroy()
    return isUp
  })
  return { port, said: () => chunks.join('') }
}
