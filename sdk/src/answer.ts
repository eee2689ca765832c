// Reads responses defensively: a proxy or a captive portal can answer in place of the service.
import { type ErrorFacts, HulakiError } from './error.ts'
import type { ErrorCode } from './types.ts'

/** Far larger than any response of the service. */
const MAX_BODY_BYTES = 1024 * 1024
const MAX_MESSAGE_LENGTH = 1_000

/** Returns the body of a success, which has the field `requiredField`. Throws for every other response. */
export async function readResponse<Answer>(response: Response, requiredField: string): Promise<Answer> {
  const facts = {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: secondsIn(response.headers.get('retry-after')),
  }
  const unreadable = (message: string) => new HulakiError({ ...facts, code: 'unreadable', message })
  if (isRedirect(response)) {
    await response.body?.cancel()
    throw unreadable(
      'The service redirects. Redirects are not followed, because the key is for one address: set `url` to the target',
    )
  }
  const text = await textOf(response)
  if (text === null)
    throw unreadable(`The response is not from the service: it has more than ${MAX_BODY_BYTES} bytes. Check \`url\``)
  const body = parse(text)
  if (response.ok && body?.[requiredField] !== undefined) return body as Answer
  if (response.ok || typeof body?.code !== 'string')
    throw unreadable(`The response is not from the service (HTTP ${response.status}). Check \`url\``)
  throw new HulakiError({
    ...facts,
    code: body.code as ErrorCode,
    message: typeof body.error === 'string' ? body.error.slice(0, MAX_MESSAGE_LENGTH) : body.code,
    details: body.details as ErrorFacts['details'],
  })
}

/** Browsers hide the target and the status of a redirect. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400)
}

/** Null if the body is too long. */
async function textOf(response: Response): Promise<string | null> {
  if (!response.body) return response.text()
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let size = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    if (size > MAX_BODY_BYTES) {
      await reader.cancel()
      return null
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** The service sends seconds; a proxy may send a date. */
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
