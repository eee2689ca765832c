// Unmatched receipts with their likely cause. If the cause is the ID format, a button sets the right one.

import type { ApiError } from '../api/api-error.ts'
import type { Carrier, UnmatchedReceipt } from '../api/calls.ts'
import { useAction, useCall } from '../api/use.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Moment } from '../parts/moment.tsx'
import { SectionHead } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { words } from '../words/index.ts'

interface Props {
  carrierId: string
  list: { items: UnmatchedReceipt[] | undefined; error: ApiError | null; more: (() => void) | null }
}

export function Receipts({ carrierId: id, list }: Props) {
  const input = { params: { id } }
  const { data } = useCall('listCarriers', {})
  const change = useAction('changeCarrier', ['getCarrier', 'listCarriers', 'listUnmatchedReceipts'])
  const format = list.items?.map(({ cause }) => cause).find((cause) => cause.kind === 'id_format')
  return (
    <section class="stack">
      <SectionHead title={words.carriers.receipts}>
        <ApiButton of="listUnmatchedReceipts" input={input} />
      </SectionHead>
      {format?.kind === 'id_format' && (
        <div class="row">
          <button
            type="button"
            class="primary"
            onClick={() => change.mutate({ params: { id }, body: { idFormat: format.idFormat } })}
            aria-disabled={change.isPending}
          >
            {words.carriers.setFormat}
          </button>
          <span>{words.carriers.causes.id_format(format.idFormat.answers, format.idFormat.reports)}</span>
        </div>
      )}
      {change.error && <ErrorNote error={change.error} />}
      <Table
        {...list}
        caption={words.carriers.receipts}
        columns={columns(data?.items ?? [])}
        keyOf={(receipt) => receipt.id}
        empty={<p class="quiet">{words.carriers.noReceipts}</p>}
      />
    </section>
  )
}

const columns = (carriers: readonly Carrier[]): Column<UnmatchedReceipt>[] => [
  { head: words.now.received, cell: ({ receivedAt }) => <Moment at={receivedAt} /> },
  { head: words.now.reference, cell: ({ reference }) => <span class="mono foreign">{reference}</span> },
  { head: words.messages.recipient, cell: ({ to }) => <span class="mono foreign">{to}</span>, secondary: true },
  {
    head: words.common.status,
    cell: ({ state, code, raw }) => <span class="foreign" title={raw}>{`${state} ${code}`}</span>,
    secondary: true,
  },
  {
    head: words.carriers.cause,
    cell: ({ cause }) => (
      <span class="foreign" title={describeCause(cause, carriers)}>
        {describeCause(cause, carriers)}
      </span>
    ),
    wide: true,
  },
]

function describeCause(cause: UnmatchedReceipt['cause'], carriers: readonly Carrier[]): string {
  const { causes } = words.carriers
  switch (cause.kind) {
    case 'id_format':
      return causes.id_format(cause.idFormat.answers, cause.idFormat.reports)
    case 'other_carrier':
      return causes.other_carrier(carriers.find(({ id }) => id === cause.carrierId)?.name ?? cause.carrierId)
    case 'other_id':
      return causes.other_id(cause.carrierMessageId)
    default:
      return causes[cause.kind]
  }
}
