// `npm run generate -- types`: writes the files made from the OpenAPI documents: types of the console and the SDK, the CLI's table of calls,
// and the reference docs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bodiesOf, callsOf } from '../test/harness/described-calls.ts'
import { commandTableOf } from '../test/harness/described-commands.ts'
import { apiDocument, managementDocument } from '../test/harness/mounted-routes.ts'

const root = join(import.meta.dirname, '..')
const management = await managementDocument()
writeFileSync(join(root, 'ui', 'api', 'calls.ts'), callsOf(management))
writeFileSync(join(root, 'src', 'cli', 'calls.ts'), commandTableOf(management))
writeFileSync(join(root, 'sdk', 'src', 'types.ts'), bodiesOf(await apiDocument()))
// Imported last, because it uses the table of calls written above.
const { MANUALS, withTables } = await import('../test/harness/described-reference.ts')
for (const manual of Object.values(MANUALS)) {
  const file = join(root, manual)
  writeFileSync(file, withTables(readFileSync(file, 'utf8'), management))
}
