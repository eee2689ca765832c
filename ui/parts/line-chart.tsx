// Lines over time from zero. Hovering or the arrow keys show the values of a moment; screen readers get a table.
import { useState } from 'preact/hooks'
import { words } from '../words/index.ts'
import { niceCeiling, Tip } from './chart.tsx'
import { ChartTable } from './chart-table.tsx'
import { capitalize, count } from './format.ts'
import css from './line-chart.module.css'
import { useIsNarrow } from './narrow.ts'

interface Line {
  label: string
  colour: 'c1' | 'c2' | 'c3' | 'c4'
  values: readonly number[]
}

interface Props {
  title: string
  note: string
  lines: readonly Line[]
  /** The label of each moment, and the few that are shown below the chart. */
  moments: readonly string[]
  ticks: readonly string[]
  /** Formats a value; a count by default. */
  write?: (value: number) => string
  /** The top of the scale for the highest value. */
  ceiling?: (highest: number) => number
  /** A moment to mark: its place from 0 to 1, and its label. */
  mark?: { at: number; label: string } | null
}

/** The scale of an empty chart has whole numbers, too. */
const LEAST_COUNT = 10
const ceilingOfCount = (highest: number) => niceCeiling(Math.max(LEAST_COUNT, highest))
const WIDTH = 1_000
const HEIGHT = 100

export function LineChart(props: Props) {
  const { title, note, lines, moments, ticks, write = count, ceiling = ceilingOfCount, mark } = props
  const isNarrow = useIsNarrow()
  const [at, setAt] = useState<number | null>(null)
  const highest = ceiling(Math.max(0, ...lines.flatMap(({ values }) => values)))
  const last = Math.max(1, moments.length - 1)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (event.key === 'Escape') setAt(null)
    if (step === 0 || moments.length === 0) return
    event.preventDefault()
    setAt(Math.max(0, Math.min(moments.length - 1, (at ?? (step > 0 ? -1 : moments.length)) + step)))
  }
  const onPointerMove = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const box = event.currentTarget.getBoundingClientRect()
    if (moments.length > 0) setAt(Math.round(((event.clientX - box.left) / box.width) * last))
  }
  return (
    <figure class={`card ${css.chart}`}>
      <figcaption class={css.head}>
        <h2>{title}</h2>
        <span class="meta">{note}</span>
        <ul class={css.legend}>
          {lines.map(({ label, colour, values }) => (
            <li key={label}>
              <Key colour={colour} /> {capitalize(label)}{' '}
              <span class={css.value}>{values.length > 0 ? write(values.at(-1) ?? 0) : '–'}</span>
            </li>
          ))}
        </ul>
      </figcaption>
      <div class={css.area}>
        <div class={css.scale} aria-hidden="true">
          {[highest, highest / 2, 0].map((value) => (
            <span key={value}>{value === 0 ? '0' : write(value)}</span>
          ))}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields */}
        <div
          class={css.plot}
          role="group"
          aria-label={words.parts.chartHint(title)}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys show the values of a moment
          tabIndex={0}
          onKeyDown={onKeyDown}
          onPointerMove={onPointerMove}
          onPointerLeave={() => setAt(null)}
          onBlur={() => setAt(null)}
        >
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" role="presentation">
            {mark && <line class={css.mark} x1={mark.at * WIDTH} x2={mark.at * WIDTH} y1="0" y2={HEIGHT} />}
            {at !== null && (
              <line class={css.cursor} x1={(at / last) * WIDTH} x2={(at / last) * WIDTH} y1="0" y2={HEIGHT} />
            )}
            {lines.map(({ label, colour, values }) => (
              <polyline key={label} class={css[colour]} points={pointsOf(values, highest, last)} />
            ))}
          </svg>
          {mark && <MarkLabel {...mark} />}
          {at !== null && (
            <Tip at={at / last}>
              <strong>{moments[at]}</strong>
              <dl>
                {lines.map(({ label, colour, values }) => (
                  <>
                    <dt>
                      <Key colour={colour} /> {capitalize(label)}
                    </dt>
                    <dd>{write(values[at] ?? 0)}</dd>
                  </>
                ))}
              </dl>
            </Tip>
          )}
        </div>
        <div class={css.ticks} aria-hidden="true">
          {ticks
            .filter((_, index) => !isNarrow || index % 2 === 0)
            .map((tick) => (
              <span key={tick}>{tick}</span>
            ))}
        </div>
      </div>
      <ChartTable
        title={title}
        heads={lines.map(({ label }) => label)}
        rows={moments.map((name, index) => ({ name, values: lines.map(({ values }) => values[index] ?? 0) }))}
        write={write}
      />
    </figure>
  )
}

function pointsOf(values: readonly number[], highest: number, last: number): string {
  return values.map((value, at) => `${(at / last) * WIDTH},${HEIGHT - (value / highest) * HEIGHT}`).join(' ')
}

/** Colour and dash of a line. */
function Key({ colour }: { colour: Line['colour'] }) {
  return (
    <svg class={css.key} viewBox="0 0 14 8" aria-hidden="true">
      <line class={css[colour]} x1="0" x2="14" y1="4" y2="4" />
    </svg>
  )
}

/** An SVG that keeps its proportions, so that its text is not stretched. */
function MarkLabel({ at, label }: { at: number; label: string }) {
  return (
    <svg class={css.markLabel} aria-hidden="true">
      <text x={`${at * 100}%`} y="-4" text-anchor={at > 0.5 ? 'end' : 'start'}>
        {label}
      </text>
    </svg>
  )
}

const SPARK_WIDTH = 104
const SPARK_HEIGHT = 20

/** A line without a scale, in a row of a table. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const highest = Math.max(1, ...values)
  const last = Math.max(1, values.length - 1)
  const points = values.map(
    (value, at) => `${(at / last) * SPARK_WIDTH},${1 + (1 - value / highest) * (SPARK_HEIGHT - 3)}`,
  )
  return (
    <svg class={css.spark} viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`} role="img" aria-label={label}>
      <line x1="0" x2={SPARK_WIDTH} y1={SPARK_HEIGHT - 1} y2={SPARK_HEIGHT - 1} />
      <polyline points={points.join(' ')} />
    </svg>
  )
}
