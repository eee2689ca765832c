// `npm run generate -- types`: generates files from the OpenAPI documents: types of the console and the SDK, the CLI's table of calls,
// and the reference docs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateCallTypes, generateSdkTypes } from '../test/harness/described-calls.ts'
import { generateCommandTable } from '../test/harness/described-commands.ts'
import { apiDocument, managementDocument } from '../test/harness/mounted-routes.ts'

const root = join(import.meta.dirname, '..')
const management = await managementDocument()
writeFileSync(join(root, 'ui', 'api', 'calls.ts'), generateCallTypes(management))
writeFileSync(join(root, 'src', 'cli', 'calls.ts'), generateCommandTable(management))
writeFileSync(join(root, 'sdk', 'src', 'types.ts'), generateSdkTypes(await apiDocument()))
// Imported last, because it uses the table of calls written above.
const { REFERENCE_PAGES, replaceTables } = await import('../test/harness/described-reference.ts')
for (const page of Object.values(REFERENCE_PAGES)) {
  const file = join(root, page)
  writeFileSync(file, replaceTables(readFileSync(file, 'utf8'), management))
}
