// A bare SMSC in a process of its own: takes everything, reports everything as delivered, and says on demand how much.
import { createServer } from 'node:net'
import { acceptSession } from '../src/smpp/open-session.ts'
import { composeReceipt } from '../src/smpp/receipt.ts'
import type { SmppSession } from '../src/smpp/session.ts'
import { listener } from '../test/harness/background.ts'

export interface SinkReport {
  taken: number
  codes: Record<string, number>
  /** Of receipts. */
  acknowledged: number
  /** The first and the last submission, and how many receipts were acknowledged until then. */
  firstAt: number
  lastAt: number
  acknowledgedUntilThen: number
}

let taken = 0
let acknowledged = 0
const submitted = { firstAt: 0, lastAt: 0, acknowledgedUntilThen: 0 }
/** When codes came in, by the number they went to: what the latency of an OTP is measured by. */
const codes: Record<string, number> = {}
const submitAt = new Date()

const server = createServer(
  listener(async (socket) => {
    const session = await acceptSession(socket, {
      onBind: () => ({ system_id: 'sink' }),
      window: Number(process.env.BENCH_DELIVER_WINDOW),
      inboundLimit: 5_000,
      handlers: {
        submit_sm: (pdu, on) => {
          taken += 1
          const now = Date.now()
          submitted.firstAt ||= now
          Object.assign(submitted, { lastAt: now, acknowledgedUntilThen: acknowledged })
          const id = taken.toString(16)
          if (pdu.short_message.includes('verification')) codes[pdu.destination_addr] = now
          setImmediate(listener(report), on, { id, from: pdu.destination_addr, to: pdu.source_addr })
          return { message_id: id }
        },
      },
    }).catch(() => null)
    await session?.closed
  }),
)

/** Told again until it is taken, as every SMSC does. */
async function report(session: SmppSession, about: { id: string; from: string; to: string }): Promise<void> {
  const receipt = composeReceipt({ id: about.id, state: 'DELIVRD', submitAt, doneAt: submitAt })
  const outcome = await session.deliver({ ...receipt, source_addr: about.from, destination_addr: about.to })
  const isTaken = outcome.kind === 'answered' && outcome.status === 0
  if (isTaken) acknowledged += 1
  else if (session.state === 'bound') setTimeout(listener(report), 100, session, about)
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.send?.({ port: address.port })
})
process.on('message', () => process.send?.({ taken, codes, acknowledged, ...submitted } satisfies SinkReport))
process.on('disconnect', () => process.exit(0))
