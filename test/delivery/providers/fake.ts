// A provider as its documentation has it: a real server, which judges each call as documented, answers as it is told to, and calls back.
import { answer, type Got, startProvider } from '../../harness/http-carrier.ts'

/** An answer that is documented, and what it must come to. */
export interface Said {
  status: number
  body: unknown
}

/** What a receipt says, in our words. */
export type Told = 'on its way' | 'delivered' | 'undelivered' | 'no such number'

/** A message that the provider has, and what it is to tell of it. */
export interface Telling {
  got: Got
  /** Its own id of the message. */
  id: string
  told: Told
}

export interface ProviderCall {
  url: string
  method: 'POST' | 'GET'
  headers: Record<string, string>
  body: string | null
}

export interface FakeProvider {
  preset: string
  /** What the operator fills in, beside where it is. */
  values: Record<string, string>
  secrets: Record<string, string>
  /** What is wrong with a call, in the provider's words; null is nothing. */
  faultOf(got: Got): Said | null
  /** What a call says, in our words. */
  read(got: Got): { to: string; from: string; text: string }
  /** The provider's own id of the message that it got as the nth. */
  idOf(count: number): string
  taken(got: Got, id: string): Said
  /** For good, by what it must come to. */
  refusals: { says: Said; error: 'invalid_number' | 'carrier_rejected' }[]
  /** It has nothing, and may have another time. */
  notNow: Said
  throttled: Said
  /** Whether it has the message is left open. */
  open: Said[]
  /** The calls that tell all this; null where the provider never tells. */
  report: ((tellings: Telling[]) => ProviderCall[]) | null
  /** What it answers who asks for a message, by its id; left out where it cannot be asked. */
  asked?: (got: Got, toldOf: (id: string) => Told | undefined) => Said
}

/** `cut off` and `silent` have the message all the same; what is to be `first` is done before it is taken. */
export type Plan = Said | 'cut off' | 'silent' | { first: (telling: Omit<Telling, 'told'>) => Promise<unknown> }

/** Takes every message, but for what is planned for the next ones to a number. */
export async function startFake(fake: FakeProvider, { tls = false } = {}) {
  const provider = await startProvider({ tls })
  const planned = new Map<string, Plan[]>()
  const has = new Map<string, { got: Got; id: string }>()
  const told = new Map<string, Told>()
  provider.does(async (got, response, socket) => {
    if (got.method === 'GET' && fake.asked) {
      const { status, body } = fake.asked(got, (id) => told.get(id))
      return answer(response, status, body)
    }
    const fault = fake.faultOf(got)
    if (fault) return answer(response, fault.status, fault.body)
    const { to } = fake.read(got)
    const plan = planned.get(to)?.shift()
    if (typeof plan === 'object' && 'status' in plan) return answer(response, plan.status, plan.body)
    const own = { got, id: fake.idOf(provider.got.length) }
    has.set(to, own)
    told.set(own.id, 'on its way')
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
    /** What it says from now on to who asks. */
    tell: (to: string, what: Told) => void told.set(has.get(to)?.id ?? '', what),
    callsTo: (to: string) => provider.got.filter((it) => fake.read(it).to === to).length,
    /** What it calls to tell this of its messages to these numbers. */
    callsFor: (told: Record<string, Told>): ProviderCall[] =>
      fake.report?.(
        Object.entries(told).map(([to, told]) => {
          const own = has.get(to)
          if (!own) throw new Error(`it has no message to ${to}`)
          return { ...own, told }
        }),
      ) ?? [],
  }
}

export type StartedFake = Awaited<ReturnType<typeof startFake>>

/** Calls, and returns the status of each answer. */
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
