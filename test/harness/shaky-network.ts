// A proxy in front of the service that loses, cuts or replaces responses as the test says.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Machine } from '../../sdk/src/index.ts'
import { requestListener } from './background.ts'

type Meddling =
  | 'pass'
  /** The response is lost. */
  | 'lose the answer'
  /** The response is cut in half. */
  | 'cut the answer'
  /** The request does not reach the service. */
  | 'lose the request'
  /** Neither request nor response. */
  | 'hang'
  | { status: number; body?: string; headers?: Record<string, string> }
  | ((response: ServerResponse) => void)

export interface Asked {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export async function startShakyNetwork(url: string, meddle: (count: number, asked: Asked) => Meddling) {
  const asked: Asked[] = []
  const server = createServer(
    requestListener(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString()
      const one = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
      const what = meddle(asked.push(one) - 1, one)
      if (what === 'hang') return
      if (what === 'lose the request') return request.socket.destroy()
      if (typeof what === 'function') return what(response)
      if (typeof what === 'object') return response.writeHead(what.status, what.headers ?? {}).end(what.body ?? '')
      const answer = await passOn(url, one)
      if (what === 'lose the answer') return request.socket.destroy()
      response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.text) })
      if (what === 'pass') return response.end(answer.text)
      response.write(answer.text.slice(0, answer.text.length / 2), () => request.socket.destroy())
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const OURS = ['x-api-key', 'idempotency-key', 'content-type']
const THEIRS = ['content-type', 'x-request-id', 'retry-after', 'idempotent-replayed']

async function passOn(url: string, { method, path, headers, body }: Asked) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: OURS.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
    ...(method === 'POST' ? { body } : {}),
  })
  const responseHeaders = THEIRS.flatMap((name) =>
    response.headers.has(name) ? [[name, response.headers.get(name) ?? '']] : [],
  )
  return {
    status: response.status,
    headers: Object.fromEntries(responseHeaders) as Record<string, string>,
    text: await response.text(),
  }
}

/** Skips and records the waits of a client. */
export function machineWithoutWaits(random = () => 0.5): Machine & { waits: number[] } {
  let now = 0
  const waits: number[] = []
  return {
    waits,
    now: () => now,
    random,
    pause: async (ms) => {
      waits.push(ms)
      now += ms
    },
  }
}
