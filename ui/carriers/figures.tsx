// How a carrier did in the last hour, as a whole and by prefix: what it took, what arrived, how long it needed.
import { useState } from 'preact/hooks'
import type { CarrierFigures } from '../api/calls.ts'
import { Curl } from '../parts/curl.tsx'
import { count, share } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'
import { words } from '../words/index.ts'

/** More are shown when they are asked for. */
const SHOWN = 10

type Row = CarrierFigures['total'] & { prefix: string | null }

export function LastHour({ carrierId: id, figures }: { carrierId: string; figures: CarrierFigures }) {
  const [shown, setShown] = useState(SHOWN)
  const { total, prefixes } = figures
  const isQuiet = prefixes.length === 0
  return (
    <section class="stack">
      <div class="row">
        <h2>{words.figures.lastHour}</h2>
        <span class="push">
          <Curl of="getCarrierFigures" input={{ params: { id } }} />
        </span>
      </div>
      <Table
        caption={words.figures.lastHour}
        columns={columns()}
        rows={isQuiet ? [] : [{ ...total, prefix: null }, ...prefixes.slice(0, shown)]}
        keyOf={({ prefix }) => prefix ?? 'all'}
        more={prefixes.length > shown ? () => setShown(prefixes.length) : null}
        empty={<p class="quiet">{words.figures.none}</p>}
      />
    </section>
  )
}

const columns = (): Column<Row>[] => [
  {
    head: words.figures.prefix,
    cell: ({ prefix }) =>
      prefix === null ? <strong>{words.figures.all}</strong> : <span class="mono">{prefix || '*'}</span>,
  },
  { head: words.figures.accepted, cell: ({ accepted }) => count(accepted), right: true },
  {
    head: words.figures.delivered,
    cell: ({ deliveryRatio }) => (deliveryRatio === null ? '–' : share(deliveryRatio)),
    right: true,
  },
  { head: words.figures.rejected, cell: ({ rejected }) => count(rejected), right: true, roomy: true },
  { head: words.figures.unanswered, cell: ({ unanswered }) => count(unanswered), right: true, roomy: true },
  { head: words.figures.answer, cell: ({ answerSeconds }) => written(answerSeconds), right: true, roomy: true },
  { head: words.figures.receipt, cell: ({ receiptSeconds }) => written(receiptSeconds), right: true, roomy: true },
]

function written(seconds: number | null): string {
  if (seconds === null) return '–'
  return seconds < 1 ? words.figures.ms(count(Math.round(seconds * 1_000))) : words.figures.s(count(tenths(seconds)))
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}
