// Freezes processes during a transaction that locks a workspace or a number.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after } from 'node:test'
import type { ServiceUnderTest } from './service.ts'

export interface Held {
  workspaceId?: string
  number?: string
  /** The server ends an idle transaction after 5 s; otherwise it lasts until the process is killed. */
  isEndedByServer?: boolean
}

export function freezer({ address }: Pick<ServiceUnderTest, 'address'>): (held: Held) => Promise<ChildProcess> {
  const frozen: ChildProcess[] = []
  after(() => {
    for (const child of frozen) child.kill('SIGKILL')
  })
  return async ({ isEndedByServer = false, ...held }) => {
    const orders = JSON.stringify({ address, ...held, forGood: !isEndedByServer })
    const child = fork(join(import.meta.dirname, 'frozen-process.ts'), [orders])
    frozen.push(child)
    await once(child, 'message')
    child.kill('SIGSTOP')
    return child
  }
}
