// Adds the carrier figures that one process counted to those of all processes.
import { deleteReceiptProcess, type ReceiptCounts, recordReceiptHeartbeat } from '../../store/carriers/carrier-binds.ts'
import { addFigures, type CountedFigure } from '../../store/carriers/carrier-figures.ts'
import type { Ports } from '../ports.ts'

export async function recordMetrics(ports: Ports, counted: CountedFigure[]): Promise<void> {
  if (counted.length === 0) return
  await ports.db.transaction((tx) => addFigures(tx, counted))
  ports.changeFeed.publishIn(null, 'figures')
}

/** Longer than the interval between two writes of a process. */
const VALID_FOR_MS = 8_000

/** For a process that receives receipts but has no delivery role. */
export async function recordReceiptMinute(
  ports: Ports,
  { process, counted, recently }: { process: string; counted: CountedFigure[]; recently: ReceiptCounts },
): Promise<void> {
  if (counted.length === 0 && recently.delivered + recently.undelivered === 0) return
  const now = ports.clock.now()
  const seenUntil = new Date(now.getTime() + VALID_FOR_MS)
  await ports.db.transaction(async (tx) => {
    await recordReceiptHeartbeat(tx, { id: process, seenUntil, counts: recently, now })
    await addFigures(tx, counted)
  })
  ports.changeFeed.publishIn(null, 'figures')
}

export function leaveReceiptMinute(ports: Ports, process: string): Promise<void> {
  return ports.db.transaction((tx) => deleteReceiptProcess(tx, process))
}
