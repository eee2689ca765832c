// The status of a client, and the mark of test mode.
import type { Client } from '../api/calls.ts'
import { Status } from '../parts/status.tsx'
import { words } from '../words/index.ts'

export function ClientState({ client: { disabledAt, disabledBy } }: { client: Client }) {
  if (disabledAt === null) return <Status tone="good">{words.clients.active}</Status>
  return (
    <Status tone="bad">{disabledBy === 'operator' ? words.clients.disabledByOperator : words.clients.disabled}</Status>
  )
}

/** Always shown beside the name: messages in test mode are never sent (D19). */
export function TestMark() {
  return (
    <span class="mark warning" title={words.clients.testHint}>
      {words.clients.test}
    </span>
  )
}
