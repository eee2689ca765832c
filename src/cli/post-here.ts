// One posting to an address that somebody at this computer has given (D46): what the receiver answered and when, or why it did not.
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'

/** §6.4 rule 1 */
const PATIENCE_MS = 10_000

export type Posted = { milliseconds: number } & ({ statusCode: number } | { failure: string })

interface Posting {
  headers: Record<string, string>
  body: Uint8Array
  signal: AbortSignal
}

/** A redirect is an answer like any other (D29). Of the answer only the status counts; the rest is read and dropped. */
export function postHere(url: URL, { headers, body, signal }: Posting): Promise<Posted> {
  const begunAt = performance.now()
  const { promise, resolve } = Promise.withResolvers<Posted>()
  const end = (how: { statusCode: number } | { failure: string }) =>
    resolve({ ...how, milliseconds: Math.round(performance.now() - begunAt) })
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest
  const posting = send(url, { method: 'POST', headers, signal: limit }, (response) => {
    end({ statusCode: response.statusCode ?? 0 })
    response.on('error', () => {}).resume()
  })
  posting.on('error', (fault: NodeJS.ErrnoException) => {
    end({
      failure: limit.aborted ? `no answer in ${PATIENCE_MS / 1000} s` : fault.message || (fault.code ?? fault.name),
    })
  })
  posting.end(body)
  return promise
}
