// A worker process: runs the shared roles on orders of the primary.
import type { Bundle } from '../console/bundle.ts'
import type { TlsPair } from '../http/server.ts'
import { SystemClock } from '../runtime/clock.ts'
import { parseKeyring } from '../runtime/keyring.ts'
import { RpcConnection, RpcRouter } from '../runtime/process-rpc.ts'
import { systemRandom } from '../runtime/random.ts'
import { Db } from '../store/database/db.ts'
import { isShared } from './config.ts'
import { openLog } from './exit-on-bugs.ts'
import { openMetrics } from './open-metrics.ts'
import { WORKER_CONNECTIONS } from './pools.ts'
import { CAN_SHARE_PORT, HANGUP_SIGNAL, STOP_SIGNALS, type WorkerOrders } from './processes.ts'
import { simulatorAt, startService } from './service.ts'

export function runWorker(): void {
  // Ctrl-C reaches the whole process group; the primary handles it and stops the workers in order.
  for (const signal of [...STOP_SIGNALS, HANGUP_SIGNAL]) process.on(signal, () => {})
  const own = new RpcRouter()
  const connection = new RpcConnection(process, (subject, input) => own.call(subject, input))
  own.handle('serve', async (orders: WorkerOrders) => {
    const { url, metrics, useCertificate, drain, stop } = await serve(orders, connection)
    own.handle('certificate', useCertificate)
    own.handle('own metrics', () => metrics.parts())
    own.handle('drain', drain)
    own.handle('stop', async () => {
      await stop()
      process.exit(0)
    })
    return url
  })
  own.handle('beat', () => true)
  // Before it serves, a worker has no work to finish.
  own.handle('stop', () => process.exit(0))
}

async function serve({ config, address, keyringText, operatorToken }: WorkerOrders, connection: RpcConnection) {
  const log = openLog(config)
  const db = new Db(address, { connections: WORKER_CONNECTIONS, pooler: config.poolerUrl })
  const metrics = openMetrics(log)
  const rpc = new RpcRouter((subject, input) => connection.call(subject, input))
  let bundle: Promise<Bundle> | null = null
  const bundled = () => {
    bundle ??= rpc.call<Bundle>('console bundle').catch((error) => {
      bundle = null
      throw error
    })
    return bundle
  }
  const service = await startService({
    config: { ...config, roles: config.roles.filter(isShared) },
    ...{ db, log, metrics, rpc, operatorToken },
    clock: new SystemClock(),
    random: systemRandom,
    keyring: parseKeyring(keyringText, systemRandom),
    listen: true,
    sharesPort: CAN_SHARE_PORT,
    readMetrics: () => rpc.call<string>('metrics'),
    bundled,
    ...(config.roles.includes('simulator') ? { simulator: simulatorAt(rpc) } : {}),
  })
  // Ahead of the first request. The primary logs a failure.
  if (config.roles.includes('api')) bundled().catch(() => {})
  const stop = async () => {
    await service.stop()
    await db.close()
  }
  const useCertificate = (pair: TlsPair) => service.useCertificate(pair)
  return { url: service.url, metrics, useCertificate, drain: () => service.drain(), stop }
}
