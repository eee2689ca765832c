// `hulaki listen --forward-to` delivers every event in order while the service, the endpoint and the command are killed.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { verifyWebhook } from '../../sdk/src/index.ts'
import { makeClient } from '../harness/client.ts'
import { freePort } from '../harness/free-port.ts'
import { CHECKOUT, dataFolder, ServiceProcess } from '../harness/process.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'hulaki forward-'))
const children: ChildProcess[] = []
after(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Appends each request as a line of JSON to a file. */
const RECEIVER = `
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString()
  appendFileSync(process.env.GOT, JSON.stringify({ headers: request.headers, body }) + '\\n')
  response.writeHead(204).end()
}).listen(Number(process.env.PORT), '127.0.0.1')`

test('every event arrives in order although the service, the endpoint and the command are killed and restarted', async () => {
  const [port, endpointPort] = [await freePort(), await freePort()]
  const data = dataFolder()
  const got = join(folder, 'got')
  const script = join(folder, 'endpoint.mjs')
  writeFileSync(script, RECEIVER)
  writeFileSync(got, '')
  const { PATH } = process.env
  const startService = async () => {
    const service = new ServiceProcess({ env: { PORT: String(port), HULAKI_DATA_DIR: data } })
    await service.url()
    return service
  }
  const run = (program: string, args: string[], env: Record<string, string>) => {
    const child = spawn(program, args, { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    children.push(child)
    return child
  }
  const startEndpoint = () => run(process.execPath, [script], { GOT: got, PORT: String(endpointPort) })
  const url = `http://127.0.0.1:${port}`
  let service = await startService()
  const token = readFileSync(join(data, 'operator-token'), 'utf8').trim()
  const manage = (method: string, path: string, body?: unknown) =>
    call(`${url}/api/manage/v1${path}`, { method, body, headers: { authorization: `Bearer ${token}` } })
  const client = await makeClient({ url, manage })
  let printed = ''
  const startListening = async () => {
    const to = `http://127.0.0.1:${endpointPort}/hook`
    const child = run(join(CHECKOUT, 'bin', 'hulaki'), ['listen', client.id, '--forward-to', to], {
      ...{ HULAKI_URL: url, HULAKI_TOKEN: token },
    })
    const before = printed.length
    child.stderr?.on('data', (text) => {
      printed += text
    })
    await until(() => printed.slice(before).includes('secret'))
    return child
  }
  let endpoint = startEndpoint()
  let listening = await startListening()
  const ids: string[] = []
  const send = async (count: number) => {
    for (let sent = 0; sent < count; sent++) {
      const { status, body } = await client.send({ to: '+9779800000001' })
      assert.equal(status, 200, JSON.stringify(body))
      ids.push(body.messageId)
    }
  }
  const lines = () =>
    readFileSync(got, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { headers: Record<string, string>; body: string })
  const arrived = () => new Set(lines().map(({ body }) => body)).size === 2 * ids.length

  await send(10)
  endpoint.kill('SIGKILL')
  await send(10)
  endpoint = startEndpoint()
  await until(arrived)

  // The simulator's memory is lost with the service, so only events are pending then.
  endpoint.kill('SIGKILL')
  await send(10)
  for (const id of ids) await until(async () => (await client.get(`/sms/messages/${id}`)).body.status === 'delivered')
  service.signal('SIGKILL')
  await service.ended
  service = await startService()
  endpoint = startEndpoint()
  await send(10)
  await until(arrived)

  await send(10)
  listening.kill('SIGKILL')
  await once(listening, 'exit')
  await send(10)
  listening = await startListening()
  await until(arrived)

  const secret = /secret: (whsec_\w+)/.exec(printed)?.[1] ?? ''
  const first = new Map<string, string[]>()
  for (const { headers, body } of lines()) {
    // The signature is some time old by now.
    const { event } = await verifyWebhook(body, headers, secret, { tolerance: 3600 })
    assert('status' in event)
    const statuses = first.getOrInsertComputed(event.id, () => [])
    // Events that were posted but not confirmed before the kill arrive again.
    if (!statuses.includes(event.status)) statuses.push(event.status)
  }
  assert.deepEqual(
    ids.map((id) => first.get(id)),
    ids.map(() => ['sent', 'delivered']),
  )
  assert.doesNotMatch(printed, /lost/)
  listening.kill('SIGINT')
  const [code] = await once(listening, 'exit')
  assert.equal(code, 0)
  const next = { listener: 'ram@desk', session: client.id, as: 'begin' }
  assert.equal((await manage('POST', `/clients/${client.id}/listening`, next)).status, 200)
  await service.stop()
})
