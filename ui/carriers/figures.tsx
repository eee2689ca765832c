// The traffic of a carrier in the last hour, in total and by prefix.
import { useState } from 'preact/hooks'
import type { CarrierFigures } from '../api/calls.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { count, share } from '../parts/format.ts'
import { SectionHead } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { words } from '../words/index.ts'

/** The number of prefixes before a click on Load more. */
const FIRST_SHOWN = 10

type Row = CarrierFigures['total'] & { prefix: string | null }

export function LastHour({ carrierId: id, figures }: { carrierId: string; figures: CarrierFigures }) {
  const [shown, setShown] = useState(FIRST_SHOWN)
  const { total, prefixes } = figures
  return (
    <section class="stack">
      <SectionHead title={words.figures.lastHour}>
        <ApiButton of="getCarrierFigures" input={{ params: { id } }} />
      </SectionHead>
      <Table
        caption={words.figures.lastHour}
        columns={columns()}
        items={prefixes.length === 0 ? [] : [{ ...total, prefix: null }, ...prefixes.slice(0, shown)]}
        keyOf={({ prefix }) => prefix ?? 'all'}
        more={prefixes.length > shown ? () => setShown(prefixes.length) : null}
        empty={<p class="quiet">{words.figures.none}</p>}
      />
    </section>
  )
}

const columns = (): Column<Row>[] => [
  {
    head: words.common.prefix,
    cell: ({ prefix }) =>
      prefix === null ? <strong>{words.figures.all}</strong> : <span class="mono">{prefix || '*'}</span>,
  },
  { head: words.figures.accepted, cell: ({ accepted }) => count(accepted), right: true },
  {
    head: words.figures.delivered,
    cell: ({ deliveryRatio }) => (deliveryRatio === null ? '–' : share(deliveryRatio)),
    right: true,
  },
  { head: words.figures.rejected, cell: ({ rejected }) => count(rejected), right: true, secondary: true },
  { head: words.figures.unanswered, cell: ({ unanswered }) => count(unanswered), right: true, secondary: true },
  {
    head: words.figures.answer,
    cell: ({ answerSeconds }) => formatSeconds(answerSeconds),
    right: true,
    secondary: true,
  },
  {
    head: words.figures.receipt,
    cell: ({ receiptSeconds }) => formatSeconds(receiptSeconds),
    right: true,
    secondary: true,
  },
]

function formatSeconds(seconds: number | null): string {
  if (seconds === null) return '–'
  return seconds < 1
    ? words.figures.ms(count(Math.round(seconds * 1_000)))
    : words.figures.s(count(Math.round(seconds * 10) / 10))
}
