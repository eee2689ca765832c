// The v1 API with an API key. Every POST has an Idempotency-Key, so its retries (§7.4) cause no second message or charge.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from './command.ts'
import { isUnknown, NoAnswer, NotReached, Refused, Service } from './service.ts'
import type { Surroundings } from './surroundings.ts'

const SENDING_ROOT = '/api/sms/v1'
const MOST_RETRIES = 4
const FIRST_WAIT_MS = 300
/** A longer Retry-After is an error. */
const LONGEST_WAIT_SECONDS = 20

export class SendingApi {
  readonly #service: Service
  readonly #apiKey: string
  readonly #around: Pick<Surroundings, 'signal' | 'chance'>

  constructor(url: URL, apiKey: string, around: Pick<Surroundings, 'signal' | 'chance'>) {
    this.#service = new Service(url, around)
    this.#apiKey = apiKey
    this.#around = around
  }

  get(path: string): Promise<Json> {
    return this.#call(path, { method: 'GET', headers: { 'x-api-key': this.#apiKey } })
  }

  post(path: string, body: Json, idempotencyKey: string): Promise<Json> {
    const headers = {
      'x-api-key': this.#apiKey,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    }
    return this.#call(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  async #call(path: string, init: RequestInit): Promise<Json> {
    let mayHaveArrived = false
    for (let retries = 0; ; retries++) {
      try {
        return await this.#try(path, init)
      } catch (fault) {
        const { signal, chance } = this.#around
        mayHaveArrived ||= !(fault instanceof NotReached)
        // An earlier attempt may have arrived, even if the last one did not reach the service.
        const last = fault instanceof NotReached && mayHaveArrived ? new NoAnswer(fault.message) : fault
        if (retries >= MOST_RETRIES || signal.aborted || !isWorthAgain(fault)) throw last
        const asked = fault instanceof Refused ? (fault.retryAfterSeconds ?? 0) * 1000 : 0
        const grown = FIRST_WAIT_MS * 2 ** retries
        await sleep(Math.max(asked, grown / 2) + (chance() * grown) / 2, null, { signal }).catch(() => {})
        if (signal.aborted) throw last
      }
    }
  }

  async #try(path: string, init: RequestInit): Promise<Json> {
    const { status, body, retryAfterSeconds } = await this.#service.exchange(`${SENDING_ROOT}${path}`, init)
    if (status < 300 && typeof body === 'object' && body !== null) return body
    throw this.#service.refused(status, body, retryAfterSeconds)
  }
}

function isWorthAgain(fault: unknown): fault is Refused | NoAnswer {
  if (!(fault instanceof Refused)) return isUnknown(fault)
  const { code, retryAfterSeconds } = fault
  if (retryAfterSeconds !== null && retryAfterSeconds > LONGEST_WAIT_SECONDS) return false
  // The first request is still running. A key with another body has no Retry-After.
  if (code === 'idempotency_conflict') return retryAfterSeconds !== null
  return code === 'rate_limited' || isUnknown(fault)
}
