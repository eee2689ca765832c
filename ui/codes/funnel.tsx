// The OTPs of each day: verified, delivered but not verified, and without confirmed delivery.
import type { CodeDay, CodeFunnel } from '../api/calls.ts'
import { BarChart } from '../parts/chart.tsx'
import { tickOf, writeDay } from '../parts/days.tsx'
import { Figures } from '../parts/figures.tsx'
import { count, shareOf } from '../parts/format.ts'
import { words } from '../words/index.ts'
import { stagesOf, sumOf } from './stages.ts'

export function Funnel({ funnel }: { funnel: CodeFunnel | undefined }) {
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
        {...(funnel ? { note: funnel.timeZone } : {})}
        series={[
          { label: words.codes.verified, tone: 'good' },
          { label: words.codes.deliveredOnly, tone: 'neutral' },
          { label: words.codes.notConfirmed, tone: 'warning' },
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
