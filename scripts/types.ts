// `npm run generate -- types`: writes what the browser knows of the management API and what the client package knows of the v1 API,
// from the descriptions the service gives of itself.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bodiesOf, callsOf } from '../test/harness/described-calls.ts'
import { apiDocument, managementDocument } from '../test/harness/mounted-routes.ts'

const root = join(import.meta.dirname, '..')
writeFileSync(join(root, 'ui', 'api', 'calls.ts'), callsOf(await managementDocument()))
writeFileSync(join(root, 'sdk', 'src', 'types.ts'), bodiesOf(await apiDocument()))
