// Processes that serve the API and die, at any time: the service goes on, and nobody waits for one that is dead.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { testDatabaseAddress } from '../harness/database.ts'
import { dataFolder, isAlive, ServiceProcess, urlOf } from '../harness/process.ts'
import { until } from '../harness/until.ts'

const usual = {
  DATABASE_URL: urlOf(await testDatabaseAddress()),
  HULAKI_DATA_DIR: dataFolder(),
  HULAKI_ROLES: 'api',
  HULAKI_PROCESSES: '2',
}
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'dying-workers.ts')).href

function startDying({ stillborn = '' } = {}) {
  const births = dataFolder({ name: 'births' })
  mkdirSync(births)
  const env = { ...usual, TEST_BIRTHS: births, TEST_STILLBORN: stillborn }
  const service = new ServiceProcess({ env, nodeArguments: ['--import', PRELOAD] })
  const bornAt = () =>
    readdirSync(births)
      .map(Number)
      .sort((one, other) => one - other)
      .map((birth) => Number(readFileSync(join(births, String(birth), 'at'), 'utf8')))
  return { service, bornAt }
}

/** However busy the machine is. */
const HANGING_MS = 20_000

/** A new connection each time; the status, or what went wrong. */
function ask(url: string, agent = new Agent()): Promise<number | string> {
  return new Promise((resolve) => {
    const request = get(url, { agent }, (response) => {
      response.on('error', (fault) => resolve(String(fault)))
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    request.setTimeout(HANGING_MS, () => {
      resolve('hangs')
      request.destroy()
    })
    request.on('error', (fault) => resolve(String(fault)))
  })
}

test('a process that hangs up and dies while it is spoken to takes no other with it, and is replaced', async () => {
  const { service } = startDying()
  const url = await service.url()
  const [first = 0] = service.workerPids
  process.kill(first, 'SIGUSR2')
  // Metrics are asked of every process, of the dying one too.
  const answers: (number | string)[] = []
  while (isAlive(first)) answers.push(...(await Promise.all(Array.from({ length: 8 }, () => ask(`${url}/metrics`)))))
  assert.ok(answers.includes(200), answers.join())
  await until(() => service.workerPids.length === 3)
  assert.doesNotMatch(service.stdout, /a bug ends this process/)
  assert.equal(await ask(`${url}/readyz`), 200)
  assert.equal(await service.stop(), 0)
})

test('processes that die before they serve are replaced during a start, and after it with a pause between', async () => {
  const { service, bornAt } = startDying({ stillborn: '1,2,5,6' })
  await service.url()
  const [first = 0, second = 0] = service.workerPids
  assert.equal(service.workerPids.length, 2)
  assert.equal(bornAt().length, 4)
  process.kill(first, 'SIGKILL')
  await until(() => service.workerPids.length === 3)
  const born = bornAt()
  assert.equal(born.length, 7)
  for (const later of [5, 6]) assert.ok((born[later] ?? 0) - (born[later - 1] ?? 0) > 450, 'one does not spin')
  assert.ok(isAlive(second))
  assert.equal(await service.stop(), 0)
})

test('a start in which they die at birth again and again ends, and says why in a sentence', async () => {
  const { service, bornAt } = startDying({ stillborn: 'all' })
  assert.deepEqual(await service.ended, { code: 1, signal: null })
  const said = 'A process that shares the roles died 3 times before it served, the last time with code 3.'
  assert.equal(service.stderr, `hulaki: ${said}\n`)
  assert.ok(bornAt().length <= 6, `${bornAt().length} were born`)
})

test('a port on which another Hulaki of the same user serves with several processes is refused', async () => {
  const service = new ServiceProcess({ env: usual })
  const { port } = new URL(await service.url())
  const second = new ServiceProcess({ env: { ...usual, PORT: port } })
  assert.deepEqual(await second.ended, { code: 1, signal: null })
  const said = `Port ${port} of 127.0.0.1 is taken by another program; choose another with PORT.`
  assert.equal(second.stderr, `hulaki: ${said}\n`)
  assert.equal(await service.stop(), 0)
})

const KILLS = Number(process.env.KILLS ?? 8)
/** At a time; one more goes on. */
const TOGETHER = 4

test(`${KILLS} times kill -9 of processes under load: every request is answered or fails at once, and nothing leaks`, {
  // Elsewhere the primary hands connections on, and those to a dying process are lost.
  skip: process.platform !== 'linux',
  timeout: 300_000,
}, async (t) => {
  const service = new ServiceProcess({ env: { ...usual, HULAKI_PROCESSES: String(TOGETHER + 1) } })
  const url = await service.url()
  const openFiles = () => readdirSync(`/proc/${service.pid}/fd`).length
  const counts: Record<string, number> = {}
  let isOver = false
  const load = async (path: string, agent: () => Agent) => {
    while (!isOver) {
      const outcome = await ask(url + path, agent())
      counts[outcome] = (counts[outcome] ?? 0) + 1
    }
  }
  const kept = new Agent({ keepAlive: true })
  const loads = ['/livez', '/api/sms/coverage', '/livez'].flatMap((path) => [
    load(path, () => kept),
    load(path, () => new Agent()),
  ])
  const before = openFiles()
  for (let killed = TOGETHER; killed <= KILLS; killed += TOGETHER) {
    for (const pid of service.workerPids.filter(isAlive).slice(0, TOGETHER)) process.kill(pid, 'SIGKILL')
    await until(() => service.workerPids.length === TOGETHER + 1 + killed)
  }
  isOver = true
  await Promise.all(loads)
  kept.destroy()
  t.diagnostic(JSON.stringify({ ...counts, openFiles: [before, openFiles()] }))
  assert.equal(counts.hangs, undefined)
  assert.ok(!Object.keys(counts).some((outcome) => outcome.includes('ECONNREFUSED')), 'somebody always listens')
  assert.ok((counts[200] ?? 0) > KILLS)
  assert.ok(openFiles() <= before + 3, `${before} files were open, now ${openFiles()}`)
  assert.equal(await service.stop(), 0)
})
