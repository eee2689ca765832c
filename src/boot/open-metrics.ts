// The metrics of a process. A metric whose query fails is missing until it succeeds again, which its alert cannot show.
import type { Log } from '../runtime/log.ts'
import { Metrics } from '../runtime/metrics.ts'
import { isAway } from '../store/database/db.ts'

export function openMetrics(log: Log): Metrics {
  return new Metrics((metric, err) => {
    if (!isAway(err)) log.warn({ err, metric }, 'metric could not be read')
  })
}
