// Stores the receipt figures of a process without the delivery role.

import type { ReceiptTally } from '../actions/carriers/receipt-tally.ts'
import { leaveReceiptMinute, recordReceiptMinute } from '../actions/carriers/record-metrics.ts'
import type { Ports } from '../actions/ports.ts'
import type { Log } from '../runtime/log.ts'
import { Loop, type ServiceRole } from '../runtime/loop.ts'
import { listCountries } from '../store/carriers/countries.ts'
import { listWorkingRoutes } from '../store/carriers/routes.ts'
import { isAway } from '../store/database/db.ts'

const LOOK_MS = 2_000

export function recordReceiptFigures(ports: Ports, log: Log, { figures, recently }: ReceiptTally): ServiceRole {
  const { db, clock } = ports
  const process = ports.ids.next()
  const write = () =>
    figures.write((counted) => recordReceiptMinute(ports, { process, counted, recently: recently.counts }))
  const turn = async () => {
    const [routes, countries] = await Promise.all([listWorkingRoutes(db, clock.now()), listCountries(db)])
    figures.setPrefixes(routes, countries)
    await write()
    return { worked: false }
  }
  const loop = new Loop({ name: 'receipt figures', clock, log, pollMs: LOOK_MS, turn, isLoggedElsewhere: isAway })
  return {
    name: 'receipt figures',
    settle: () => loop.settle(),
    stop: async () => {
      await loop.stop()
      await write()
      await leaveReceiptMinute(ports, process)
    },
  }
}
