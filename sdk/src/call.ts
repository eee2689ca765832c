// One call: made, and made again with the same key, until it is answered or refused, or its time is up.
import { readAnswer } from './answer.ts'
import { type ErrorFacts, HulakiError } from './error.ts'
import { LONGEST_TIMER_MS, type Machine } from './machine.ts'
import { type RetryRules, waitBefore } from './retry.ts'

export interface Call {
  path: string
  /** Written once, so that every repetition is the same to the byte; null for a GET. */
  body: string | null
  idempotencyKey: string | null
  /** What every answer to it has. */
  must: string
  signal: AbortSignal | undefined
  /** For one try, and for all of them with the waits between. */
  timeoutMs: number
  withinMs: number
}

export interface Way {
  root: string
  apiKey: string
  rules: RetryRules
  fetch: typeof globalThis.fetch
  machine: Machine
}

export async function makeCall<Answer>(call: Call, way: Way): Promise<Answer> {
  const { machine, rules } = way
  const end = machine.now() + call.withinMs
  for (let attempt = 0; ; attempt++) {
    try {
      const left = end - machine.now()
      return await tryOnce<Answer>({ ...call, timeoutMs: Math.min(call.timeoutMs, left) }, way)
    } catch (fault) {
      if (!(fault instanceof HulakiError)) throw fault
      const wait = waitBefore(fault, { attempt, chance: machine.chance() }, rules)
      // Nor is waited for what would come too late.
      if (wait === null || machine.now() + wait >= end) throw withKey(fault, call)
      await machine.pause(wait, call.signal).catch((given: HulakiError) => {
        throw withKey(given, call)
      })
    }
  }
}

async function tryOnce<Answer>(call: Call, { root, apiKey, fetch }: Way): Promise<Answer> {
  const { path, body, idempotencyKey, signal, timeoutMs } = call
  const controller = new AbortController()
  const giveUp = () => controller.abort()
  const timer = setTimeout(giveUp, Math.max(0, Math.min(timeoutMs, LONGEST_TIMER_MS)))
  signal?.addEventListener('abort', giveUp)
  if (signal?.aborted) giveUp()
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
      // Followed, it would carry the key to wherever somebody says. ('error' is not known to every edge runtime.)
      redirect: 'manual',
      signal: controller.signal,
    })
    return await readAnswer<Answer>(response, call.must)
  } catch (fault) {
    if (fault instanceof HulakiError) throw fault
    const cause = signal?.aborted ? signal.reason : fault
    throw new HulakiError({ status: 0, cause, ...whyNot(fault, { call, isLate: controller.signal.aborted }) })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  }
}

function whyNot(
  fault: unknown,
  { call, isLate }: { call: Call; isLate: boolean },
): Pick<ErrorFacts, 'code' | 'message'> {
  if (call.signal?.aborted) return { code: 'aborted', message: 'The call was given up' }
  if (isLate) return { code: 'timeout', message: `No answer within ${Math.ceil(call.timeoutMs)} ms` }
  return { code: 'network', message: `The service was not reached: ${reasonOf(fault)}` }
}

/** No fault has more others beneath it. */
const DEEPEST_CAUSE = 5

/** `fetch` only says that it failed: why stands in the cause, or in several, one for each address that was tried. */
function reasonOf(fault: unknown, depth = 0): string {
  if (!(fault instanceof Error)) return String(fault)
  if (depth < DEEPEST_CAUSE) {
    if (fault instanceof AggregateError && fault.errors.length > 0)
      return fault.errors.map((it) => reasonOf(it, depth + 1)).join(', ')
    if (fault.cause !== undefined) return reasonOf(fault.cause, depth + 1)
  }
  return fault.message || fault.name
}

/** Whoever catches it can make the call again, and it stays the same. */
function withKey(fault: HulakiError, { idempotencyKey }: Call): HulakiError {
  const { code, message, status, details, requestId, retryAfterSeconds, cause } = fault
  return new HulakiError({ code, message, status, details, requestId, retryAfterSeconds, cause, idempotencyKey })
}
