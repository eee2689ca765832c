// Starts a service in the current process on a given database, for benchmarks and tests.
import { readConfig } from '../src/boot/config.ts'
import type { Parts } from '../src/boot/serve.ts'
import { type Service, startService } from '../src/boot/service.ts'
import { SystemClock } from '../src/runtime/clock.ts'
import { Metrics } from '../src/runtime/metrics.ts'
import { RpcRouter } from '../src/runtime/process-rpc.ts'
import { systemRandom } from '../src/runtime/random.ts'

type GivenParts = Pick<Parts, 'db' | 'keyring' | 'operatorToken' | 'log' | 'listen' | 'batching'>

export function startOwnService(
  roles: string,
  given: GivenParts,
  settings: Record<string, string> = {},
): Promise<Service> {
  const read = readConfig({ PORT: '0', DATABASE_URL: 'postgres://given', HULAKI_ROLES: roles, ...settings })
  if ('errors' in read) throw new Error(read.errors.join('\n'))
  const metrics = new Metrics()
  return startService({
    ...given,
    config: read.config,
    clock: new SystemClock(),
    random: systemRandom,
    metrics,
    rpc: new RpcRouter(),
    readMetrics: () => metrics.text(),
  })
}
