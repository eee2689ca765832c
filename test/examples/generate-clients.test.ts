// docs/guides/generate-clients.md: the fetch function that readers add by hand, over a network that loses responses.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { requestListener } from '../harness/background.ts'
import { listingsOf } from './listings.ts'

test('retries temporary errors with the same key, and returns permanent errors immediately (§7.4, §8.3)', async (t) => {
  const listing = listingsOf('docs/guides/generate-clients.md').find(({ text }) =>
    text.startsWith('// patient-fetch.ts\n'),
  )
  assert.ok(listing)
  const folder = mkdtempSync(join(tmpdir(), 'hulaki-docs-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'patient-fetch.ts'), listing.text)
  const { patientFetch } = await import(pathToFileURL(join(folder, 'patient-fetch.ts')).href)

  const seen: string[] = []
  const answers: [status: number, retryAfter?: string][] = [[0], [429, '0'], [200], [429, '55'], [409], [422]]
  const server = createServer(
    requestListener(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString()
      const [status, retryAfter] = answers[seen.length] ?? [500]
      seen.push(`${request.headers['idempotency-key']} ${body}`)
      if (status === 0) return request.socket.destroy()
      return response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end()
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const post = (headers = {}) => patientFetch(new Request(url, { method: 'POST', body: '{"to":"1"}', headers }))

  assert.equal((await post()).status, 200)
  assert.match(seen[0] ?? '', /^[0-9a-f-]{36} \{"to":"1"\}$/)
  assert.deepEqual([seen.length, new Set(seen).size], [3, 1])
  const own = { 'idempotency-key': 'order-4711' }
  for (const status of [429, 409, 422]) assert.equal((await post(own)).status, status)
  assert.deepEqual(seen.slice(3), Array(3).fill('order-4711 {"to":"1"}'))
})
