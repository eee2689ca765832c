// The api role in its own process, for tests that kill it. Started with fork; sends a message when it is ready.
import { startOwnService } from '../../scripts/own-service.ts'
import { parseKeyring } from '../../src/runtime/keyring.ts'
import { createLog } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { Db } from '../../src/store/database/db.ts'
import { listener } from './background.ts'

const { TEST_ADDRESS = '', TEST_KEYRING = '', PORT = '0', HULAKI_PUBLIC_URL = '' } = process.env
const db = new Db(JSON.parse(TEST_ADDRESS), { connections: 10 })
const service = await startOwnService(
  'api',
  {
    db,
    keyring: parseKeyring(TEST_KEYRING, systemRandom),
    operatorToken: 'unused-operator-token-of-this-process',
    log: createLog('error'),
    listen: true,
  },
  { PORT, HULAKI_PUBLIC_URL },
)
process.on(
  'SIGTERM',
  listener(async () => {
    await service.stop()
    await db.close()
    process.exit(0)
  }),
)
process.send?.('up')
