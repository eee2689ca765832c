// Whether a client works, and whether it is one that only tries things out.
import type { Client } from '../api/calls.ts'
import { Status } from '../parts/status.tsx'
import { words } from '../words/index.ts'

export function ClientState({ client: { disabledAt, disabledBy } }: { client: Client }) {
  if (disabledAt === null) return <Status tone="good">{words.clients.active}</Status>
  return (
    <Status tone="bad">{disabledBy === 'operator' ? words.clients.disabledByOperator : words.clients.disabled}</Status>
  )
}

/** Always beside the name: what such a client sends reaches nobody (D19). */
export function TestMark() {
  return (
    <span class="mark doubtful" title={words.clients.testHint}>
      {words.clients.test}
    </span>
  )
}
