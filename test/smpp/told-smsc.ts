// An SMSC on Net::SMPP that does what a test tells it, and what it read.
import type { TestContext } from 'node:test'
import { failOnRejection } from '../harness/background.ts'
import { until } from '../harness/until.ts'
import { runPerl } from './foreign-peer.ts'

/** What it was told of a PDU, or of a link that opened or closed; fixtures/told-smsc.pl has the orders. */
export interface Told {
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

export async function toldSmsc(t: TestContext, first: Record<string, unknown> = {}) {
  const { nextLine, say } = runPerl(t, 'told-smsc.pl', JSON.stringify(first))
  const { port } = await nextLine()
  const read: Told[] = []
  failOnRejection(
    (async () => {
      for (let line = await nextLine(); 'link' in line; line = await nextLine()) read.push(line as unknown as Told)
    })(),
  )
  const of = (command: string) => read.filter((it) => it.command === command)
  const happened = (event: Told['event']) => read.filter((it) => it.event === event)
  return {
    port: Number(port),
    read,
    say,
    of,
    happened,
    /** The one of a command that comes as the nth. */
    nth: (command: string, n: number) => until(() => of(command)[n - 1]),
    /** Says it on a link, and waits for what was answered. */
    async deliver(fields: Record<string, unknown>, link = 1): Promise<Told> {
      const before = of('deliver_sm_resp').length
      say({ deliver: fields, link })
      return until(() => of('deliver_sm_resp')[before])
    },
  }
}
