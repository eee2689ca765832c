// Posts one event to a local address (D46) and returns the status or the failure.
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'

/** §6.4 rule 1 */
const TIMEOUT_MS = 10_000

export type PostResult = { milliseconds: number } & ({ statusCode: number } | { failure: string })

interface LocalRequest {
  headers: Record<string, string>
  body: Uint8Array
  signal: AbortSignal
}

/** Only the status counts; a redirect is not followed (D29). */
export function postLocally(url: URL, { headers, body, signal }: LocalRequest): Promise<PostResult> {
  const begunAt = performance.now()
  const { promise, resolve } = Promise.withResolvers<PostResult>()
  const end = (how: { statusCode: number } | { failure: string }) =>
    resolve({ ...how, milliseconds: Math.round(performance.now() - begunAt) })
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest
  const request = send(url, { method: 'POST', headers, signal: limit }, (response) => {
    end({ statusCode: response.statusCode ?? 0 })
    response.on('error', () => {}).resume()
  })
  request.on('error', (error: NodeJS.ErrnoException) => {
    end({
      failure: limit.aborted ? `no response in ${TIMEOUT_MS / 1000} s` : error.message || (error.code ?? error.name),
    })
  })
  request.end(body)
  return promise
}
