// Starts and stops delivery processes on the database of a test's service.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after } from 'node:test'
import type { ServiceUnderTest } from './service.ts'

/** Remaining processes are killed after the test. */
export function deliveryProcesses({ address, keyringText }: ServiceUnderTest, settings: Record<string, string> = {}) {
  const running = new Set<ChildProcess>()
  after(() => {
    for (const child of running) child.kill('SIGKILL')
  })
  return {
    start: async (): Promise<ChildProcess> => {
      const env = { ...process.env, ...settings, TEST_ADDRESS: JSON.stringify(address), TEST_KEYRING: keyringText }
      const child = fork(join(import.meta.dirname, 'delivery-process.ts'), { env })
      running.add(child)
      child.on('exit', () => running.delete(child))
      await once(child, 'message')
      return child
    },
    end: async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
      const exited = once(child, 'exit')
      child.kill(signal)
      const [code] = await exited
      return code
    },
  }
}
