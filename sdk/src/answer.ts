// What comes back, read with suspicion: between here and the service there may be a proxy, a portal, or somebody else.
import { type ErrorFacts, HulakiError } from './error.ts'
import type { ErrorCode } from './types.ts'

/** No answer of the service is near it. */
const LARGEST_BODY = 1024 * 1024
const LONGEST_SENTENCE = 1_000

/** The body of a success, which has the member `must`; whatever else it is, is thrown. */
export async function readAnswer<Answer>(response: Response, must: string): Promise<Answer> {
  const facts = {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: secondsIn(response.headers.get('retry-after')),
  }
  const unreadable = (message: string) => new HulakiError({ ...facts, code: 'unreadable', message })
  if (isRedirect(response)) {
    await response.body?.cancel()
    throw unreadable(
      'It redirects, which is not followed: the key is for this address alone. Give the `url` it leads to',
    )
  }
  const text = await textOf(response)
  if (text === null) throw unreadable(`No answer of the service: it is longer than ${LARGEST_BODY} bytes`)
  const body = parse(text)
  if (response.ok && body?.[must] !== undefined) return body as Answer
  if (response.ok || typeof body?.code !== 'string')
    throw unreadable(`No answer of the service (HTTP ${response.status})`)
  throw new HulakiError({
    ...facts,
    code: body.code as ErrorCode,
    message: typeof body.error === 'string' ? body.error.slice(0, LONGEST_SENTENCE) : body.code,
    details: body.details as ErrorFacts['details'],
  })
}

/** Browsers do not tell where it leads, nor by which status. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400)
}

/** Null for one that is too long, of which no more is read. */
async function textOf(response: Response): Promise<string | null> {
  if (!response.body) return response.text()
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let size = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    if (size > LARGEST_BODY) {
      await reader.cancel()
      return null
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Seconds as the service says them, or a date as proxies may. */
function secondsIn(header: string | null): number | null {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
