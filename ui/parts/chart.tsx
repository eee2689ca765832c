// Stacked bars by hour or day: an SVG, and a table for screen readers.
import css from './chart.module.css'
import { count } from './format.ts'
import { Dot, type Tone } from './status.tsx'

interface Bar {
  /** The full label. */
  name: string
  /** The label below the bar; most bars have none. */
  tick?: string | undefined
  values: readonly number[]
}

interface Props {
  title: string
  /** Such as the time zone of the hours. */
  note?: string
  series: readonly { label: string; tone: Tone }[]
  /** Undefined while it loads: its space is kept. */
  bars: readonly Bar[] | undefined
  /** Formats a value; a count by default. */
  write?: (value: number) => string
}

const HEIGHT = 90
const STEP = 100
const WIDTH = 80

export function BarChart({ title, note, series, bars = [], write = count }: Props) {
  const highest = niceCeiling(Math.max(1, ...bars.map(({ values }) => sum(values))))
  return (
    <figure class={`card ${css.chart}`}>
      <figcaption class={css.head}>
        <span>
          {title}
          {note && <span class="quiet"> · {note}</span>}
        </span>
        <span class={css.legend}>
          {series.map(({ label, tone }) => (
            <span key={label} class="row">
              <Dot tone={tone} />
              {label}
            </span>
          ))}
        </span>
      </figcaption>
      <div class={css.area} aria-hidden="true">
        <span class={css.top}>{write(highest)}</span>
        <Bars series={series} bars={bars} highest={highest} write={write} />
        <div class={css.ticks}>
          {bars.map(({ name, tick }) => (
            <span key={name}>{tick}</span>
          ))}
        </div>
      </div>
      <ChartTable title={title} series={series} bars={bars} write={write} />
    </figure>
  )
}

type BarProps = Pick<Props, 'series'> & { bars: readonly Bar[]; write: (value: number) => string }

function Bars({ series, bars, highest, write }: BarProps & { highest: number }) {
  return (
    <svg
      class={css.bars}
      viewBox={`0 0 ${Math.max(1, bars.length) * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="presentation"
    >
      {bars.map(({ name, values }, index) => (
        <g key={name}>
          <title>{`${name}: ${series.map(({ label }, at) => `${label} ${write(values[at] ?? 0)}`).join(', ')}`}</title>
          {values.map((value, at) => {
            const below = sum(values.slice(0, at))
            const tone = series[at]?.tone ?? 'neutral'
            return (
              <rect
                key={tone}
                class={css[tone]}
                x={index * STEP + (STEP - WIDTH) / 2}
                width={WIDTH}
                y={HEIGHT - ((below + value) / highest) * HEIGHT}
                height={(value / highest) * HEIGHT}
              />
            )
          })}
        </g>
      ))}
    </svg>
  )
}

/** The hidden box keeps the table from widening the page. */
function ChartTable({ title, series, bars, write }: BarProps & { title: string }) {
  return (
    <div class="hidden">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <td />
            {series.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map(({ name, values }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {series.map(({ label }, at) => (
                <td key={label}>{write(values[at] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** The next of 1, 2, 3, 5 times a power of ten, so that the scale is easy to read. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 3, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value
}
