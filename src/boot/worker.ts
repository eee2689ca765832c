// A worker process: runs the shared roles on orders of the primary.

import { startBundling } from '../console/serve.ts'
import { SystemClock } from '../runtime/clock.ts'
import { parseKeyring } from '../runtime/keyring.ts'
import { Metrics } from '../runtime/metrics.ts'
import { systemRandom } from '../runtime/random.ts'
import { Line, Switchboard } from '../runtime/switchboard.ts'
import { Db } from '../store/database/db.ts'
import { isShared } from './config.ts'
import { openLog } from './exit-on-bugs.ts'
import { WORKER_CONNECTIONS } from './pools.ts'
import { CAN_SHARE_PORT, HANGUP_SIGNAL, STOP_SIGNALS, type WorkerOrders } from './processes.ts'
import { simulatorAt, startService } from './service.ts'

export function runWorker(): void {
  // Ctrl-C reaches the whole process group; the primary handles it and stops the workers in order.
  for (const signal of [...STOP_SIGNALS, HANGUP_SIGNAL]) process.on(signal, () => {})
  const own = new Switchboard()
  const line = new Line(process, (subject, input) => own.ask(subject, input))
  own.answer('serve', async (orders: WorkerOrders) => {
    const { url, metrics, reload, drain, stop } = await serve(orders, line)
    own.answer('reload', reload)
    own.answer('own metrics', () => metrics.parts())
    own.answer('drain', drain)
    own.answer('stop', async () => {
      await stop()
      process.exit(0)
    })
    return url
  })
  own.answer('beat', () => true)
  // Before it serves, a worker has no work to finish.
  own.answer('stop', () => process.exit(0))
}

async function serve({ config, address, keyringText, operatorToken }: WorkerOrders, line: Line) {
  const log = openLog(config.logLevel)
  const db = new Db(address, { connections: WORKER_CONNECTIONS })
  const metrics = new Metrics()
  const board = new Switchboard((subject, input) => line.ask(subject, input))
  const service = await startService({
    config: { ...config, roles: config.roles.filter(isShared) },
    ...{ db, log, metrics, board, operatorToken },
    clock: new SystemClock(),
    random: systemRandom,
    keyring: parseKeyring(keyringText, systemRandom),
    listen: true,
    sharesPort: CAN_SHARE_PORT,
    readMetrics: () => board.ask<string>('metrics'),
    ...(config.roles.includes('simulator') ? { simulator: simulatorAt(board) } : {}),
  })
  if (config.roles.includes('api')) startBundling(log)
  const stop = async () => {
    await service.stop()
    await db.close()
  }
  return { url: service.url, metrics, reload: () => service.reload(), drain: () => service.drain(), stop }
}
