// A fake server in place of the service.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export async function pretend(
  context: Pick<TestContext, 'after'>,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  context.after(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Responds by the path below the management API's root. */
export function pretendAnswers(
  context: Pick<TestContext, 'after'>,
  answer: (path: string, query: URLSearchParams) => [number, string] | undefined,
): Promise<string> {
  return pretend(context, ({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const [status, text] = answer(pathname.replace('/api/manage/v1', ''), searchParams) ?? [404, '']
    response.writeHead(status).end(text)
  })
}
