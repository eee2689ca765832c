// A simulator with a manual clock, and a bound ESME that records deliveries.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { ManualClock } from '../../src/runtime/clock.ts'
import { createLog } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { type Simulator, type SimulatorSettings, startSimulator } from '../../src/simulator/simulator.ts'
import { encodeText } from '../../src/smpp/alphabets.ts'
import type { Body, Pdu } from '../../src/smpp/commands.ts'
import { type ConnectOptions, connectSession } from '../../src/smpp/open-session.ts'
import { isReceipt, readReceipt } from '../../src/smpp/receipt.ts'
import type { SmppSession } from '../../src/smpp/session.ts'

export const START = new Date('2026-11-16T04:00:00.000Z')

export async function simulate(t: TestContext, settings: Partial<SimulatorSettings> = {}) {
  const clock = new ManualClock(START)
  const log = createLog('silent')
  const simulator = await startSimulator({
    clock,
    random: systemRandom,
    log,
    settings: { port: 0, httpPort: 0, ...settings },
  })
  t.after(() => simulator.stop())
  const settle = async () => {
    while (await simulator.settle());
  }
  const advance = (seconds: number) => clock.advanceTo(new Date(clock.now().getTime() + seconds * 1000), settle)
  return { simulator, clock, advance, settle }
}

export type Esme = Awaited<ReturnType<typeof bindTo>>

export async function bindTo(t: TestContext, simulator: Simulator, options: Partial<ConnectOptions> = {}) {
  const { host, port, systemId, password } = simulator.account
  const received: Pdu<'deliver_sm'>[] = []
  const session = await connectSession({
    host,
    port,
    bindName: 'bind_transceiver',
    bind: { system_id: systemId, password },
    handlers: {
      deliver_sm: (pdu) => {
        received.push(pdu)
        return {}
      },
    },
    ...options,
  })
  t.after(() => session.close())
  return {
    session,
    received,
    /** `<id> <state>` of every receipt so far. */
    receipts: () => received.filter(isReceipt).map(receiptName),
    send: (to: string, fields: Body<'submit_sm'> = {}) => submitTo(session, to, fields),
  }
}

/** The message ID if accepted, otherwise the status. */
async function submitTo(session: SmppSession, to: string, fields: Body<'submit_sm'> = {}): Promise<string | number> {
  const outcome = await session.submit({ ...messageTo(to), ...fields })
  if (outcome.kind !== 'answered') return outcome.kind
  return outcome.status === 0 ? outcome.messageId : outcome.status
}

function messageTo(to: string): Body<'submit_sm'> {
  return {
    source_addr_ton: 5,
    source_addr: 'Hulaki',
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: to,
    registered_delivery: 1,
    short_message: gsm('Namaste'),
  }
}

export function gsm(text: string): Buffer {
  return encodeText(text, 'gsm') ?? assert.fail(`not GSM: ${text}`)
}

function receiptName(pdu: Pdu<'deliver_sm'>): string {
  const { id, state } = readReceipt(pdu)
  return `${id} ${state}`
}
