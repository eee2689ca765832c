// A minimal SMSC process: accepts everything, reports everything as delivered, and counts.
import { createServer } from 'node:net'
import { acceptSession } from '../src/smpp/open-session.ts'
import { composeReceipt } from '../src/smpp/receipt.ts'
import type { SmppSession } from '../src/smpp/session.ts'
import { listener } from '../test/harness/background.ts'

export interface SinkReport {
  submitted: number
  codes: Record<string, number>
  /** Acknowledged receipts. */
  acknowledged: number
  /** The first and the last submission, and the receipts acknowledged until then. */
  firstAt: number
  lastAt: number
  acknowledgedUntilThen: number
}

let count = 0
let acknowledged = 0
const times = { firstAt: 0, lastAt: 0, acknowledgedUntilThen: 0 }
/** Arrival times of OTPs by number, for their latency. */
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
          count += 1
          const now = Date.now()
          times.firstAt ||= now
          Object.assign(times, { lastAt: now, acknowledgedUntilThen: acknowledged })
          const id = count.toString(16)
          if (pdu.short_message.includes('verification')) codes[pdu.destination_addr] = now
          setImmediate(listener(report), on, { id, from: pdu.destination_addr, to: pdu.source_addr })
          return { message_id: id }
        },
      },
    }).catch(() => null)
    await session?.closed
  }),
)

/** Retries until the receipt is acknowledged, like every SMSC. */
async function report(session: SmppSession, about: { id: string; from: string; to: string }): Promise<void> {
  const receipt = composeReceipt({ id: about.id, state: 'DELIVRD', submitAt, doneAt: submitAt })
  const outcome = await session.deliver({ ...receipt, source_addr: about.from, destination_addr: about.to })
  const isAcknowledged = outcome.kind === 'answered' && outcome.status === 0
  if (isAcknowledged) acknowledged += 1
  else if (session.state === 'bound') setTimeout(listener(report), 100, session, about)
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.send?.({ port: address.port })
})
process.on('message', () => process.send?.({ submitted: count, codes, acknowledged, ...times } satisfies SinkReport))
process.on('disconnect', () => process.exit(0))
