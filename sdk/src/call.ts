// One call with its retries, which share one idempotency key.
import { readResponse } from './answer.ts'
import { type ErrorFacts, HulakiError } from './error.ts'
import { MAX_TIMER_MS, type Machine } from './machine.ts'
import { type RetryRules, retryDelay } from './retry.ts'

export interface ApiCall {
  path: string
  /** Serialized once, so that every retry has the same bytes; null for a GET. */
  body: string | null
  idempotencyKey: string | null
  /** A field that every successful response has. */
  requiredField: string
  signal: AbortSignal | undefined
  /** For one attempt. */
  timeoutMs: number
  /** For all attempts and the waits between them. */
  withinMs: number
}

export interface Transport {
  root: string
  apiKey: string
  rules: RetryRules
  fetch: typeof globalThis.fetch
  machine: Machine
}

export async function makeCall<Answer>(call: ApiCall, transport: Transport): Promise<Answer> {
  const { machine, rules } = transport
  const end = machine.now() + call.withinMs
  for (let attempt = 0; ; attempt++) {
    try {
      const left = end - machine.now()
      return await tryOnce<Answer>({ ...call, timeoutMs: Math.min(call.timeoutMs, left) }, transport)
    } catch (error) {
      if (!(error instanceof HulakiError)) throw error
      const wait = retryDelay(error, { attempt, random: machine.random() }, rules)
      // A retry after `withinMs` would be too late.
      if (wait === null || machine.now() + wait >= end) throw withKey(error, call)
      await machine.pause(wait, call.signal).catch((given: HulakiError) => {
        throw withKey(given, call)
      })
    }
  }
}

async function tryOnce<Answer>(call: ApiCall, { root, apiKey, fetch }: Transport): Promise<Answer> {
  const { path, body, idempotencyKey, signal, timeoutMs } = call
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, Math.max(0, Math.min(timeoutMs, MAX_TIMER_MS)))
  signal?.addEventListener('abort', abort)
  // Without time left, nothing is sent: a timer could ring after the response.
  if (signal?.aborted || timeoutMs <= 0) abort()
  try {
    const response = await fetch(`${root}${path}`, {
      method: body === null ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        'x-api-key': apiKey,
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === null ? {} : { body }),
      // Following a redirect would send the key to another host. Some edge runtimes lack 'error'.
      redirect: 'manual',
      signal: controller.signal,
    })
    return await readResponse<Answer>(response, call.requiredField)
  } catch (error) {
    if (error instanceof HulakiError) throw error
    const cause = signal?.aborted ? signal.reason : error
    throw new HulakiError({ status: 0, cause, ...describeFailure(error, { call, isLate: controller.signal.aborted }) })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

function describeFailure(
  error: unknown,
  { call, isLate }: { call: ApiCall; isLate: boolean },
): Pick<ErrorFacts, 'code' | 'message'> {
  if (call.signal?.aborted) return { code: 'aborted', message: 'The call was aborted' }
  if (isLate) return { code: 'timeout', message: `No response within ${Math.ceil(call.timeoutMs)} ms` }
  return { code: 'network', message: `The service was not reached: ${reasonOf(error)}` }
}

const DEEPEST_CAUSE = 5

/** The error of `fetch` has the reason in its cause, or in one cause per address. */
function reasonOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error)
  if (depth < DEEPEST_CAUSE) {
    if (error instanceof AggregateError && error.errors.length > 0)
      return error.errors.map((it) => reasonOf(it, depth + 1)).join(', ')
    if (error.cause !== undefined) return reasonOf(error.cause, depth + 1)
  }
  return error.message || error.name
}

/** The caller can repeat the call with this key, without a second message. */
function withKey(error: HulakiError, { idempotencyKey }: ApiCall): HulakiError {
  const { code, message, status, details, requestId, retryAfterSeconds, cause } = error
  return new HulakiError({ code, message, status, details, requestId, retryAfterSeconds, cause, idempotencyKey })
}
