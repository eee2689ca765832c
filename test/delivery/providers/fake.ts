// A fake provider that follows its documentation: checks calls, responds as planned and calls back.
import { answer, type Got, startProvider } from '../../harness/http-carrier.ts'

/** A documented response and the expected result. */
export interface ProviderResponse {
  status: number
  body: unknown
}

/** The state in a receipt, independent of the provider. */
export type ReportedState = 'pending' | 'delivered' | 'undelivered' | 'invalid number'

/** An accepted message and its reported state. */
interface PendingReport {
  got: Got
  /** The provider's message ID. */
  id: string
  state: ReportedState
}

export interface ProviderCall {
  url: string
  method: 'POST' | 'GET'
  headers: Record<string, string>
  body: string | null
}

export interface FakeProvider {
  preset: string
  /** The preset values except the URL. */
  values: Record<string, string>
  secrets: Record<string, string>
  /** The provider's error for an invalid call, or null. */
  faultOf(got: Got): ProviderResponse | null
  /** The message in a call. */
  read(got: Got): { to: string; from: string; text: string }
  /** The provider's ID of the nth message. */
  idOf(count: number): string
  taken(got: Got, id: string): ProviderResponse
  /** Permanent rejections and the expected errors. */
  refusals: { says: ProviderResponse; error: 'invalid_number' | 'carrier_rejected' }[]
  /** Temporary rejections. */
  notNow: ProviderResponse
  throttled: ProviderResponse
  /** Responses with an unknown outcome. */
  open: ProviderResponse[]
  /** The receipt calls; null if the provider sends none. */
  report: ((pending: PendingReport[]) => ProviderCall[]) | null
  /** The response to a poll by ID; omitted if polling is not possible. */
  asked?: (got: Got, stateOf: (id: string) => ReportedState | undefined) => ProviderResponse
}

/** With `cut off` and `silent` the provider has the message; `first` runs before it is accepted. */
export type Plan =
  | ProviderResponse
  | 'cut off'
  | 'silent'
  | { first: (pendingReport: Omit<PendingReport, 'state'>) => Promise<unknown> }

/** Accepts every message, except the planned ones per number. */
export async function startFake(fake: FakeProvider, { tls = false } = {}) {
  const provider = await startProvider({ tls })
  const planned = new Map<string, Plan[]>()
  const has = new Map<string, { got: Got; id: string }>()
  const state = new Map<string, ReportedState>()
  provider.does(async (got, response, socket) => {
    if (got.method === 'GET' && fake.asked) {
      const { status, body } = fake.asked(got, (id) => state.get(id))
      return answer(response, status, body)
    }
    const fault = fake.faultOf(got)
    if (fault) return answer(response, fault.status, fault.body)
    const { to } = fake.read(got)
    const plan = planned.get(to)?.shift()
    if (typeof plan === 'object' && 'status' in plan) return answer(response, plan.status, plan.body)
    const own = { got, id: fake.idOf(provider.got.length) }
    has.set(to, own)
    state.set(own.id, 'pending')
    if (plan === 'silent') return
    if (plan === 'cut off') return socket.destroy()
    if (plan) await plan.first(own)
    const { status, body } = fake.taken(got, own.id)
    answer(response, status, body)
  })
  return {
    ...provider,
    fake,
    plan: (to: string, ...next: Plan[]) => void planned.set(to, next),
    /** Sets the state for polls. */
    tell: (to: string, what: ReportedState) => void state.set(has.get(to)?.id ?? '', what),
    callsTo: (to: string) => provider.got.filter((it) => fake.read(it).to === to).length,
    /** The receipt calls for its messages to these numbers. */
    callsFor: (state: Record<string, ReportedState>): ProviderCall[] =>
      fake.report?.(
        Object.entries(state).map(([to, state]) => {
          const own = has.get(to)
          if (!own) throw new Error(`no message to ${to}`)
          return { ...own, state }
        }),
      ) ?? [],
  }
}

/** Makes the calls and returns the response statuses. */
export function make(calls: readonly ProviderCall[]): Promise<number[]> {
  return Promise.all(
    calls.map(async ({ url, ...call }) => {
      const response = await fetch(url, call)
      await response.arrayBuffer()
      return response.status
    }),
  )
}

export function formOf({ body }: Got): URLSearchParams {
  return new URLSearchParams(body)
}
