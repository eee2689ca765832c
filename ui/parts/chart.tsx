// Stacked bars by hour or day. Hovering or the arrow keys show the values of a bar; screen readers get a table.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { words } from '../words/index.ts'
import css from './chart.module.css'
import { ChartTable } from './chart-table.tsx'
import { capitalize, count } from './format.ts'
import { useIsNarrow } from './narrow.ts'
import type { Tone } from './status.tsx'

/** A status colour, or the number of a category. */
type Colour = Tone | 'c1' | 'c2' | 'c3' | 'c4' | 'c5' | 'c6'

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
  series: readonly { label: string; colour: Colour }[]
  /** Undefined while it loads: its space is kept. */
  bars: readonly Bar[] | undefined
  /** Formats a value; a count by default. */
  write?: (value: number) => string
  /** Called with the index of a clicked bar. */
  choose?: (index: number) => void
  chooseHint?: string
  /** At the end of the head, such as a choice of the range. */
  children?: ComponentChildren
}

const HEIGHT = 108
const STEP = 100
const WIDTH = 70

export function BarChart(props: Props) {
  const { title, note, series, bars = [], write = count, choose, chooseHint, children } = props
  const highest = niceCeiling(Math.max(1, ...bars.map(({ values }) => sum(values))))
  const isNarrow = useIsNarrow()
  const ticks = bars.flatMap(({ tick }) => tick ?? []).filter((_, index) => !isNarrow || index % 2 === 0)
  const [at, setAt] = useState<number | null>(null)
  const shown = at === null ? undefined : bars[at]
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step !== 0 && bars.length > 0) {
      event.preventDefault()
      setAt(Math.max(0, Math.min(bars.length - 1, (at ?? (step > 0 ? -1 : bars.length)) + step)))
    } else if (event.key === 'Enter' && at !== null) choose?.(at)
    else if (event.key === 'Escape') setAt(null)
  }
  return (
    <figure class={`card ${css.chart}`}>
      <figcaption class={css.head}>
        <span class={css.title}>{title}</span>
        {/* Has its line before it is loaded. */}
        {note !== undefined && <span class="meta">{note || '\u00a0'}</span>}
        <span class={css.legend}>
          {series.map(({ label, colour }, index) => (
            <span key={label}>
              <i class={`${css.key} ${css[colour]}`} aria-hidden="true" />
              {capitalize(label)}
              <span class={css.value}>
                {props.bars ? write(sum(bars.map(({ values }) => values[index] ?? 0))) : '–'}
              </span>
            </span>
          ))}
        </span>
        {children && <span class="push">{children}</span>}
      </figcaption>
      <div class={css.area}>
        <div class={css.scale} aria-hidden="true">
          {[highest, highest / 2, 0].map((value) => (
            <span key={value}>{Number.isInteger(value) || write !== count ? write(value) : ''}</span>
          ))}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields */}
        <div
          class={css.plot}
          role="group"
          aria-label={words.parts.chartHint(title)}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys show the values of a bar
          tabIndex={0}
          onKeyDown={onKeyDown}
          onBlur={() => setAt(null)}
          onPointerLeave={() => setAt(null)}
        >
          <Bars series={series} bars={bars} highest={highest} at={at} show={setAt} choose={choose} />
          {shown && (
            <Tip at={((at ?? 0) + 0.5) / bars.length}>
              <strong>{shown.name}</strong>
              <dl>
                {series.map(({ label, colour }, index) => (
                  <>
                    <dt>
                      <i class={`${css.key} ${css[colour]}`} />
                      {capitalize(label)}
                    </dt>
                    <dd>{write(shown.values[index] ?? 0)}</dd>
                  </>
                ))}
              </dl>
              {choose && <span class="quiet">{chooseHint}</span>}
            </Tip>
          )}
        </div>
        <div class={css.ticks} aria-hidden="true">
          {bars.map(({ name, tick }) => (
            <span key={name}>{tick !== undefined && ticks.includes(tick) && tick}</span>
          ))}
        </div>
      </div>
      <ChartTable title={title} heads={series.map(({ label }) => label)} rows={bars} write={write} />
    </figure>
  )
}

/** Beside its bar, on the side with more room. The place is known only at run time, so the CSSOM sets it. */
export function Tip({ at, children }: { at: number; children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const style = element.current?.style
    if (!style) return
    style.left = at < 0.5 ? `calc(${at * 100}% + 16px)` : 'auto'
    style.right = at < 0.5 ? 'auto' : `calc(${(1 - at) * 100}% + 16px)`
  }, [at])
  return (
    <div ref={element} class={css.tip} role="status">
      {children}
    </div>
  )
}

interface BarsProps extends Pick<Props, 'series' | 'choose'> {
  bars: readonly Bar[]
  highest: number
  at: number | null
  show: (index: number) => void
}

function Bars({ series, bars, highest, at, show, choose }: BarsProps) {
  return (
    <svg
      class={css.bars}
      viewBox={`0 0 ${Math.max(1, bars.length) * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="presentation"
    >
      {bars.map(({ name, values }, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the plot do the same
        <g
          key={name}
          class={index === at ? `${css.bar} ${css.isAt}` : css.bar}
          onPointerEnter={() => show(index)}
          onClick={() => choose?.(index)}
        >
          <rect class={css.hover} x={index * STEP} width={STEP} y={0} height={HEIGHT} />
          {values.map((value, place) => {
            const below = sum(values.slice(0, place))
            const { label, colour } = series[place] ?? { label: '', colour: 'idle' }
            return (
              <rect
                key={label}
                class={css[colour]}
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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** The next of 1, 2, 3, 5 times a power of ten, so that the scale is easy to read. */
export function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 3, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value
}
