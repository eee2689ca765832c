// The events of the fraud guard: the numbers, the time, and what it blocked or would have blocked.
import type { FraudEvent, ServiceFraudEvent } from '../api/calls.ts'
import { useClients } from '../parts/clients.ts'
import { count } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Pill } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { workspaceColumn } from '../parts/workspace-filter.tsx'
import { words } from '../words/index.ts'
import { useFraudEvents } from './source.ts'

/** An event of the service has the names of its client and its workspace. */
type ListedEvent = FraudEvent & Partial<Pick<ServiceFraudEvent, 'clientName' | 'workspaceName'>>

export function FraudEvents({ workspaceId }: { workspaceId: string }) {
  const { nameOf, isKnown } = useClients(workspaceId)
  const list = useFraudEvents(workspaceId)
  return (
    <Table
      {...list}
      caption={words.codes.guard}
      columns={columns(nameOf, workspaceId === '')}
      items={isKnown ? (list.items as ListedEvent[] | undefined) : undefined}
      keyOf={(it) => it.id}
      empty={<p>{words.codes.noFraudEvents}</p>}
    />
  )
}

const columns = (nameOf: (clientId: string) => string, isService: boolean): Column<ListedEvent>[] => [
  { head: words.codes.detected, cell: ({ struckAt }) => <Moment at={struckAt} /> },
  ...(isService ? [workspaceColumn<ListedEvent>()] : []),
  { head: words.codes.numbers, cell: (it) => <span class="mono">{numbersOf(it)}</span> },
  { head: words.codes.action, cell: (it) => <ActionTaken {...it} /> },
  {
    head: words.codes.client,
    cell: ({ clientId, clientName }) => foreign(clientName ?? nameOf(clientId)),
    secondary: true,
  },
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
      {refused > 0 && <Pill tone="bad" word={words.codes.blocked(count(refused))} />}{' '}
      {passed > 0 && <Pill tone="warn" word={words.codes.wouldBlock(count(passed))} />}
    </>
  )
}
