// `npm run types`: writes what the browser knows of the management API, from the description the service gives of itself.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callsOf } from '../test/harness/described-calls.ts'
import { managementDocument } from '../test/harness/mounted-routes.ts'

const file = join(import.meta.dirname, '..', 'ui', 'api', 'calls.ts')
const text = callsOf(await managementDocument())
if (text !== readFileSync(file, 'utf8')) writeFileSync(file, text)
