// A Net::SMPP SMSC controlled by a test.
import type { TestContext } from 'node:test'
import { failOnRejection } from '../harness/background.ts'
import { until } from '../harness/until.ts'
import { runPerl } from './foreign-peer.ts'

/** A received PDU, or an opened or closed link; fixtures/scripted-smsc.pl lists the commands. */
export interface ReceivedPdu {
  link: number
  event?: 'opened' | 'closed'
  command?: string
  seq: number
  status: number
  system_id?: string
  source_addr: string
  destination_addr: string
  registered_delivery: number
  /** In hex. */
  short_message: string
}

export async function scriptedSmsc(t: TestContext, first: Record<string, unknown> = {}) {
  const { nextLine, say } = runPerl(t, 'scripted-smsc.pl', JSON.stringify(first))
  const { port } = await nextLine()
  const read: ReceivedPdu[] = []
  failOnRejection(
    (async () => {
      for (let line = await nextLine(); 'link' in line; line = await nextLine())
        read.push(line as unknown as ReceivedPdu)
    })(),
  )
  const of = (command: string) => read.filter((it) => it.command === command)
  const happened = (event: ReceivedPdu['event']) => read.filter((it) => it.event === event)
  return {
    port: Number(port),
    read,
    say,
    of,
    happened,
    /** The nth PDU of a command. */
    nth: (command: string, n: number) => until(() => of(command)[n - 1]),
    /** Delivers on a link and waits for the response. */
    async deliver(fields: Record<string, unknown>, link = 1): Promise<ReceivedPdu> {
      const before = of('deliver_sm_resp').length
      say({ deliver: fields, link })
      return until(() => of('deliver_sm_resp')[before])
    },
  }
}
