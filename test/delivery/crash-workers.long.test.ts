// A service with several delivery processes is killed under load, one process at a time or all. `npm run test:long -- crash` runs the long
// form.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertEndedOnce, SLOWLY, sendDuring } from '../harness/kills.ts'
import { dataFolder, ServiceProcess, urlOf } from '../harness/process.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 3)
const PROCESSES = 2
/** Every third kill hits the whole service. */
const isWhole = (round: number) => round % 3 === 2

const api = await ownService({ env: { HULAKI_ROLES: 'api' }, clock: systemClock() })
const smsc = await startSmsc(SLOWLY)
const sender = await makeSender(api, { monthlyCredit: 1_000_000 })
await addRoute(api, await addCarrier(api, smsc.port, { binds: 4, window: 20, answerSeconds: 2 }))

const keyringFile = join(dataFolder({ name: '.' }), 'keyring.json')
writeFileSync(keyringFile, api.keyringText, { mode: 0o600 })

async function startDelivering(): Promise<ServiceProcess> {
  const service = new ServiceProcess({
    env: {
      DATABASE_URL: urlOf(api.address),
      HULAKI_DATA_DIR: dataFolder(),
      HULAKI_KEYRING_FILE: keyringFile,
      HULAKI_ROLES: 'api,delivery',
      HULAKI_PROCESSES: String(PROCESSES),
    },
  })
  await service.url()
  return service
}

const rows = (text: string) => api.db.query({ text, values: [], name: undefined })

test(`HULAKI_PROCESSES=${PROCESSES}, kill -9 in a loop: no message is lost, and only OTPs reach the SMSC twice`, {
  timeout: 120_000 + ROUNDS * 15_000,
}, async (t) => {
  let service = await startDelivering()
  const bothDeliver = async () =>
    (await rows(`select from carrier_bind where state = 'bound' group by process_id`)).length === 2
  await until(bothDeliver)
  const ids = await sendDuring(api, sender, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const before = smsc.taken.length
      await until(() => smsc.taken.length > before)
      await sleep(Math.random() * 500)
      if (isWhole(round)) {
        service.signal('SIGKILL')
        service = await startDelivering()
      } else {
        const [victim = 0] = service.runningWorkerPids
        const born = service.workerPids.length
        process.kill(victim, 'SIGKILL')
        await until(() => service.workerPids.length > born)
      }
    }
  })
  await until(async () => (await rows('select from delivery_queue limit 1')).length === 0)
  assert.equal(await service.stop(), 0)
  await api.stop()
  await assertEndedOnce(t, api, { ids, smsc })
})
