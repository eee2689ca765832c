// The OTPs of each day: verified, delivered but not verified, and without confirmed delivery.
import type { CodeDay } from '../api/calls.ts'
import { BarChart } from '../parts/chart.tsx'
import { tickOf, writeDay } from '../parts/days.tsx'
import { Figures } from '../parts/figures.tsx'
import { count, shareOf } from '../parts/format.ts'
import { words } from '../words/index.ts'
import type { ShownFunnel } from './source.ts'
import { stagesOf, sumOf } from './stages.ts'

/** The note of the service is known before the days, so that the legend beside it does not move. */
export function Funnel({ funnel, isService }: { funnel: ShownFunnel | undefined; isService: boolean }) {
  const total = sumOf(funnel?.items ?? [])
  const shown = (codes: number) => (funnel ? count(codes) : null)
  const part = (codes: number) => (funnel ? shareOf(codes, total.sent) : null)
  return (
    <>
      <Figures
        of={[
          [words.codes.sent, shown(total.sent)],
          [words.codes.delivered, shown(total.delivered), part(total.delivered)],
          [words.codes.verified, shown(total.verified), part(total.verified)],
        ]}
      />
      <BarChart
        title={words.codes.byDay}
        note={isService ? words.allWorkspaces.ownDays : (funnel?.timeZone ?? '')}
        series={[
          { label: words.codes.verified, colour: 'good' },
          { label: words.codes.deliveredOnly, colour: 'info' },
          { label: words.codes.notConfirmed, colour: 'warn' },
        ]}
        bars={funnel && barsOf(funnel.items)}
      />
    </>
  )
}

function barsOf(items: readonly CodeDay[]) {
  const days = items.map(({ day }) => day)
  return items.map((it, index) => ({ name: writeDay(it.day), tick: tickOf(days, index), values: stagesOf(it) }))
}
