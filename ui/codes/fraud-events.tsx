// The events of the fraud guard: the numbers, the time, and what it blocked or would have blocked.
import type { FraudEvent } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { useWorkspace } from '../caller.ts'
import { useClients } from '../parts/clients.ts'
import { count } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { words } from '../words/index.ts'

export function FraudEvents() {
  const { id } = useWorkspace()
  const { nameOf, isKnown } = useClients()
  const list = useList('listFraudEvents', { params: { id }, query: {} })
  return (
    <Table
      {...list}
      caption={words.codes.guard}
      columns={columns(nameOf)}
      items={isKnown ? list.items : undefined}
      keyOf={(it) => it.id}
      empty={<p>{words.codes.noFraudEvents}</p>}
    />
  )
}

const columns = (nameOf: (clientId: string) => string): Column<FraudEvent>[] => [
  { head: words.codes.detected, cell: ({ struckAt }) => <Moment at={struckAt} /> },
  { head: words.codes.numbers, cell: (it) => <span class="mono">{numbersOf(it)}</span> },
  { head: words.codes.action, cell: (it) => <ActionTaken {...it} /> },
  { head: words.codes.client, cell: ({ clientId }) => foreign(nameOf(clientId)), secondary: true },
  {
    head: words.codes.blockedUntil,
    cell: (it) => <Moment at={isBlocked(it) ? it.heldUntil : null} />,
    secondary: true,
  },
  {
    head: words.common.reason,
    cell: ({ reason }) => (
      <span class="quiet" title={reason}>
        {reason}
      </span>
    ),
    wide: true,
    secondary: true,
  },
]

/** Rule R3 covers the prefix of a mobile network; the others cover a block of 10,000 numbers. */
function numbersOf({ scope, rule }: FraudEvent): string {
  return scope + (rule === 'R3' ? 'xxxxxxx' : 'xxxx')
}

/** In monitor mode, codes pass. */
function isBlocked({ refused, passed }: FraudEvent): boolean {
  return refused > 0 || passed === 0
}

function ActionTaken({ refused, passed }: FraudEvent) {
  return (
    <>
      {refused > 0 && <Status tone="bad">{words.codes.blocked(count(refused))}</Status>}{' '}
      {passed > 0 && <Status tone="warning">{words.codes.wouldBlock(count(passed))}</Status>}
    </>
  )
}
