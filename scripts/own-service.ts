// A service within a program of our own, on a database that it brings: for benches, and tests of processes.
import { readConfig } from '../src/boot/config.ts'
import type { Parts } from '../src/boot/serve.ts'
import { type Service, startService } from '../src/boot/service.ts'
import { systemChance } from '../src/runtime/chance.ts'
import { SystemClock } from '../src/runtime/clock.ts'
import { Metrics } from '../src/runtime/metrics.ts'
import { Switchboard } from '../src/runtime/switchboard.ts'

type Brought = Pick<Parts, 'db' | 'keyring' | 'operatorToken' | 'log' | 'listen' | 'batching'>

export function startOwnService(
  roles: string,
  brought: Brought,
  settings: Record<string, string> = {},
): Promise<Service> {
  const read = readConfig({ PORT: '0', DATABASE_URL: 'postgres://brought-along', HULAKI_ROLES: roles, ...settings })
  if ('faults' in read) throw new Error(read.faults.join('\n'))
  const metrics = new Metrics()
  return startService({
    ...brought,
    config: read.config,
    clock: new SystemClock(),
    chance: systemChance,
    metrics,
    board: new Switchboard(),
    readMetrics: () => metrics.text(),
  })
}
