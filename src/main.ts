// The entry. What Node compiled is kept for the next start, which is twice as quick for it; so it must be switched on before
// anything else is loaded.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { disablePretenuring } from './runtime/collector.ts'

enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'hulaki'))
disablePretenuring()
const { start } = await import('./boot/start.ts')
await start()
