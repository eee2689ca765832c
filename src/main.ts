// The entry of the service. The compile cache halves the time of the next start, so it is enabled before other imports.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { disablePretenuring } from './runtime/collector.ts'

enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'hulaki'))
disablePretenuring()
const { start } = await import('./boot/start.ts')
await start()
