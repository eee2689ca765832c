// The status of a client, and the mark of test mode.
import type { Client } from '../api/calls.ts'
import { Pill } from '../parts/status.tsx'
import { words } from '../words/index.ts'

export function ClientState({ client: { disabledAt, disabledBy } }: { client: Client }) {
  if (disabledAt === null) return <Pill tone="good" word={words.clients.active} />
  return (
    <Pill tone="idle" word={disabledBy === 'operator' ? words.clients.disabledByOperator : words.clients.disabled} />
  )
}

/** Always shown beside the name: messages in test mode are never sent (D19). */
export function TestMark() {
  return (
    <span class="mark" title={words.clients.testHint}>
      {words.clients.test}
    </span>
  )
}
