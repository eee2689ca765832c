// The v1 API with an API key. Every POST has an Idempotency-Key, so its retries (§7.4) cause no second message or charge.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyJson } from './command.ts'
import type { CliContext } from './context.ts'
import { ApiError, isOutcomeUnknown, NoResponse, NotConnected, ServiceClient } from './service.ts'

const SENDING_ROOT = '/api/sms/v1'
const MAX_RETRIES = 4
const FIRST_WAIT_MS = 300
/** A longer Retry-After is an error. */
const MAX_WAIT_SECONDS = 20

export class SendingApi {
  readonly #service: ServiceClient
  readonly #apiKey: string
  readonly #context: Pick<CliContext, 'signal' | 'random'>

  constructor(url: URL, apiKey: string, context: Pick<CliContext, 'signal' | 'random'>) {
    this.#service = new ServiceClient(url, context)
    this.#apiKey = apiKey
    this.#context = context
  }

  get(path: string): Promise<AnyJson> {
    return this.#call(path, { method: 'GET', headers: { 'x-api-key': this.#apiKey } })
  }

  post(path: string, body: AnyJson, idempotencyKey: string): Promise<AnyJson> {
    const headers = {
      'x-api-key': this.#apiKey,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    }
    return this.#call(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  async #call(path: string, init: RequestInit): Promise<AnyJson> {
    let mayHaveArrived = false
    for (let retries = 0; ; retries++) {
      try {
        return await this.#try(path, init)
      } catch (error) {
        const { signal, random } = this.#context
        mayHaveArrived ||= !(error instanceof NotConnected)
        // An earlier attempt may have arrived, even if the last one did not reach the service.
        const last = error instanceof NotConnected && mayHaveArrived ? new NoResponse(error.message) : error
        if (retries >= MAX_RETRIES || signal.aborted || !isRetryable(error)) throw last
        const retryAfterMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
        const grown = FIRST_WAIT_MS * 2 ** retries
        await sleep(Math.max(retryAfterMs, grown / 2) + (random() * grown) / 2, null, { signal }).catch(() => {})
        if (signal.aborted) throw last
      }
    }
  }

  async #try(path: string, init: RequestInit): Promise<AnyJson> {
    const { status, body, retryAfterSeconds } = await this.#service.exchange(`${SENDING_ROOT}${path}`, init)
    if (status < 300 && typeof body === 'object' && body !== null) return body
    throw this.#service.refused(status, body, retryAfterSeconds)
  }
}

function isRetryable(error: unknown): error is ApiError | NoResponse {
  if (!(error instanceof ApiError)) return isOutcomeUnknown(error)
  const { code, retryAfterSeconds } = error
  if (retryAfterSeconds !== null && retryAfterSeconds > MAX_WAIT_SECONDS) return false
  // The first request is still running. A key with another body has no Retry-After.
  if (code === 'idempotency_conflict') return retryAfterSeconds !== null
  return code === 'rate_limited' || isOutcomeUnknown(error)
}
