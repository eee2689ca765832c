// A service shared by the test files of one shard. Started with fork; sends its address and stops with the shard.
import { endFile } from '../runner/file-end.ts'
import { listener } from './background.ts'
import { bootService } from './boot-service.ts'
import { cloneDatabase } from './clone-database.ts'
import { testServerOfRun } from './server.ts'

const [, , roles = ''] = process.argv
const server = testServerOfRun()
if (!server) throw new Error('shared services require a test run')
const service = await bootService({
  address: await cloneDatabase(server, `test_shared_${roles}`),
  env: { HULAKI_ROLES: roles },
})
process.once(
  'disconnect',
  listener(async () => {
    await service.down()
    endFile()
    process.exit(0)
  }),
)
const { url, address, keyringText, description } = service
process.send?.({ url, address, keyringText, description })
