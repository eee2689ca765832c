// The last minute: a count for each kind, and a line of the values since the screen was opened.
import { useEffect, useState } from 'preact/hooks'
import type { Now } from '../api/calls.ts'
import { count } from '../parts/format.ts'
import { words } from '../words/index.ts'
import css from './now.module.css'

const KINDS = ['accepted', 'segmentsAccepted', 'delivered', 'segmentsRejected', 'undelivered'] as const
const MAX_POINTS = 90
/** The API returns rates per second over the last minute. */
const SECONDS = 60
const HEIGHT = 28

export function Rates({ now }: { now: Now }) {
  const [history, setHistory] = useState<Now['rates'][]>([])
  useEffect(() => {
    setHistory((before) => [...before, now.rates].slice(-MAX_POINTS))
  }, [now.at])
  return (
    <section class="stack">
      <h2>{words.now.rates}</h2>
      <dl class={css.rates}>
        {KINDS.map((kind) => (
          <div key={kind} class="card">
            <dt class="quiet">{words.now.rate[kind]}</dt>
            <dd class={css.figure}>{count(Math.round(now.rates[kind] * SECONDS))}</dd>
            <Sparkline values={history.map((rates) => rates[kind])} />
          </div>
        ))}
      </dl>
    </section>
  )
}

function Sparkline({ values }: { values: readonly number[] }) {
  const highest = Math.max(1, ...values)
  const points = values.map((value, at) => `${MAX_POINTS - values.length + at},${HEIGHT - (value / highest) * HEIGHT}`)
  return (
    <svg
      class={css.spark}
      viewBox={`0 -1 ${MAX_POINTS - 1} ${HEIGHT + 2}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      role="presentation"
    >
      <polyline points={points.join(' ')} />
    </svg>
  )
}
