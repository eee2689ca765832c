// A provider as its documentation has it: a real server, which judges each call as documented and then answers as it is told to.
import { answer, type Got, startProvider } from '../../harness/http-carrier.ts'

/** An answer that is documented, and what it must come to. */
export interface Said {
  status: number
  body: unknown
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
  taken(got: Got, count: number): Said
  /** For good, by what it must come to. */
  refusals: { says: Said; error: 'invalid_number' | 'carrier_rejected' }[]
  /** It has nothing, and may have another time. */
  notNow: Said
  throttled: Said
  /** Whether it has the message is left open. */
  open: Said[]
}

export type Plan = Said | 'taken' | 'cut off'

/** Takes every message, but for what is planned for the next ones. */
export async function startFake(fake: FakeProvider) {
  const provider = await startProvider()
  const planned: Plan[] = []
  provider.does((got, response, socket) => {
    const plan = planned.shift() ?? 'taken'
    if (plan === 'cut off') return socket.destroy()
    const { status, body } = fake.faultOf(got) ?? (plan === 'taken' ? fake.taken(got, provider.got.length) : plan)
    answer(response, status, body)
  })
  return { ...provider, plan: (...next: Plan[]) => void planned.push(...next) }
}

export function formOf({ body }: Got): URLSearchParams {
  return new URLSearchParams(body)
}
