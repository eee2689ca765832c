// The attempts of the last 24 hours as a strip of half-hours. A bar with failures is taller, so that colour is not alone.
import type { WebhookEndpoint } from '../api/calls.ts'
import { useTimeZone } from '../caller.ts'
import { count, moment } from '../parts/format.ts'
import { words } from '../words/index.ts'
import css from './health.module.css'

type HalfHour = WebhookEndpoint['halfHours'][number]
type Kind = 'none' | 'good' | 'warn' | 'bad'

const HEIGHT = 24
const STEP = 5
const WIDTH = 4
const HEIGHTS: Record<Kind, number> = { none: 2, good: 14, warn: 18, bad: HEIGHT }

export function Strip({ of }: { of: readonly HalfHour[] }) {
  const timeZone = useTimeZone()
  const withFailures = of.filter(({ failed }) => failed > 0).length
  return (
    <svg
      class={css.strip}
      viewBox={`0 0 ${Math.max(1, of.length * STEP - 1)} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={words.webhooks.strip(count(withFailures), count(of.length))}
    >
      {of.map((halfHour, index) => {
        const kind = kindOf(halfHour)
        return (
          <rect
            key={halfHour.startsAt}
            class={css[kind]}
            x={index * STEP}
            y={HEIGHT - HEIGHTS[kind]}
            width={WIDTH}
            height={HEIGHTS[kind]}
          >
            <title>
              {words.webhooks.halfHour(
                moment(halfHour.startsAt, 'time', timeZone),
                count(halfHour.succeeded),
                count(halfHour.failed),
              )}
            </title>
          </rect>
        )
      })}
    </svg>
  )
}

function kindOf({ succeeded, failed }: HalfHour): Kind {
  if (failed > 0) return succeeded > 0 ? 'warn' : 'bad'
  return succeeded > 0 ? 'good' : 'none'
}
