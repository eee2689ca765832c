// A test SMSC over real sockets: follows a plan, records submissions and sends reports.
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeText } from '../../src/smpp/alphabets.ts'
import { encode } from '../../src/smpp/codec.ts'
import type { BindCommand, Body, Pdu } from '../../src/smpp/commands.ts'
import { acceptSession } from '../../src/smpp/open-session.ts'
import { composeReceipt } from '../../src/smpp/receipt.ts'
import type { SmppSession } from '../../src/smpp/session.ts'
import { readUserData } from '../../src/smpp/udh.ts'
import { failOnRejection, listener } from './background.ts'
import { freePort } from './free-port.ts'

export interface Taken {
  id: string
  to: string
  from: string
  text: string
  pdu: Pdu<'submit_sm'>
  session: SmppSession
}

/** The reaction to a submission: status, ID, no response, and the report that follows. */
export interface Plan {
  status?: number
  id?: string
  answer?: 'never' | Promise<unknown>
  report?: string | null
}

export interface SmscOptions {
  /** By default everything is accepted and reported as delivered. */
  plan?: (submission: Taken) => Plan | Promise<Plan>
  bindStatus?: () => number
  port?: number
  /** The window of its own requests. */
  window?: number
}

export type Smsc = Awaited<ReturnType<typeof openSmsc>>

/** Closed after the tests of the file. */
export async function startSmsc(options: SmscOptions = {}): Promise<Smsc> {
  const smsc = await openSmsc(options)
  after(() => smsc.close())
  return smsc
}

export async function openSmsc({
  plan = () => ({ report: 'DELIVRD' }),
  bindStatus = () => 0,
  port,
  window = 1000,
}: SmscOptions = {}) {
  const taken: Taken[] = []
  const binds: Pdu<BindCommand>[] = []
  const answersToReports: number[] = []
  const sessions = new Set<SmppSession>()
  const sockets = new Set<Socket>()
  let counter = 0
  let isClosed = false
  let at = { plan }

  const onSubmit = async (pdu: Pdu<'submit_sm'>, session: SmppSession) => {
    counter += 1
    const { body } = readUserData(pdu)
    const alphabet = pdu.data_coding === 8 ? 'ucs2' : 'gsm'
    const submission: Taken = {
      id: `ID${counter}`,
      to: `+${pdu.destination_addr}`,
      from: pdu.source_addr,
      text: decodeText(body, alphabet),
      pdu,
      session,
    }
    taken.push(submission)
    const { status = 0, id = submission.id, answer, report = null } = await at.plan(submission)
    submission.id = id
    if (answer === 'never') return new Promise<never>(() => {})
    await answer
    if (status === 0 && report !== null) setImmediate(() => failOnRejection(insist(submission, report)))
    return status === 0 ? { message_id: id } : { status }
  }

  const reportOn = async (submission: Taken, state: string, { id = submission.id, err = '000' } = {}) => {
    const body = composeReceipt({ id, state, err, submitAt: new Date(), doneAt: new Date(), text: 'x' })
    return send({
      ...body,
      source_addr: submission.pdu.destination_addr,
      destination_addr: submission.pdu.source_addr,
    })
  }

  /** Retries like a real SMSC until a bound client accepts. */
  const insist = async (submission: Taken, state: string) => {
    while (!isClosed) {
      const status = await reportOn(submission, state).catch(() => -1)
      if (status === 0) return
      await sleep(50)
    }
  }

  const send = async (body: Body<'deliver_sm'>) => {
    const session = [...sessions].find((it) => it.state === 'bound' && it.bindName !== 'bind_transmitter')
    if (!session) throw new Error('no bound receiver')
    const outcome = await session.deliver(body)
    const status = outcome.kind === 'answered' ? outcome.status : -1
    answersToReports.push(status)
    return status
  }

  const server: Server = createServer(
    listener(async (socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      try {
        const session = await acceptSession(socket, {
          onBind: (bind) => {
            binds.push(bind)
            return { status: bindStatus(), system_id: 'SMSC' }
          },
          handlers: { submit_sm: onSubmit },
          window,
          inboundLimit: 5000,
        })
        sessions.add(session)
        await session.closed
        sessions.delete(session)
      } catch {
        // The bind was rejected or the client left, as intended by some tests.
      }
    }),
  )
  // While it is closed, no other server of this machine takes its port.
  server.listen(port ?? (await freePort()), '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the SMSC has no address')

  const disconnect = () => {
    for (const socket of sockets) socket.destroy()
  }
  /** Sends a response without a request. */
  const answerUnasked = (sequence: number) => {
    for (const socket of sockets) socket.write(encode({ command: 'submit_sm_resp', sequence, message_id: 'NOBODY' }))
  }
  const close = async () => {
    isClosed = true
    const closed = new Promise((resolve) => server.close(resolve))
    disconnect()
    await closed
  }
  return {
    port: address.port,
    taken,
    binds,
    sessions,
    answersToReports,
    reportOn,
    send,
    disconnect,
    answerUnasked,
    close,
    /** Changes the plan. */
    set plan(next: SmscOptions['plan'] & {}) {
      at = { plan: next }
    },
  }
}
