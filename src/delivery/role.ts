// The delivery role: keeps connections to carriers, submits due messages, stores reports and replies, and expires messages.
import type { Captures } from '../actions/carriers/captures.ts'
import type { ReceiptTally } from '../actions/carriers/receipt-tally.ts'
import { createCarrierEventLane } from '../actions/carriers/record-carrier-events.ts'
import { expireUnreported, expireWaiting, nextEnd } from '../actions/messages/expire-messages.ts'
import { endLapsedClaims } from '../actions/messages/record-answers.ts'
import { matchPendingReports } from '../actions/messages/record-reports.ts'
import { updateDestinations } from '../actions/messages/update-destinations.ts'
import type { Ports } from '../actions/ports.ts'
import type { FirstReceipt } from '../domain/messages/first-receipts.ts'
import { compileNetworkList } from '../domain/network.ts'
import { readCertificates } from '../outbound/certificates.ts'
import type { Log } from '../runtime/log.ts'
import { Loop, type ServiceRole, type Turn } from '../runtime/loop.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { isAway } from '../store/database/db.ts'
import { findNextLapse } from '../store/messages/claims.ts'
import { findNextMatchTime } from '../store/messages/reports.ts'
import { Carriers } from './carriers.ts'
import { createTally, registerGauges } from './worker/measures.ts'

const POLL_MS = 10_000

export interface DeliverySettings {
  /** D50: networks that HTTP carriers may use in addition. */
  allowedNetworks: string[]
  /** Additional trusted certificates for HTTP carriers. */
  caFile: string | null
  /** The base URL of receipt callbacks; null: no callbacks. */
  publicUrl: string | null
  metrics: Metrics
  /** The receipt counts of this process, including callbacks. */
  receipts: ReceiptTally
  captures: Captures
}

export async function startDelivery(ports: Ports, log: Log, settings: DeliverySettings): Promise<ServiceRole> {
  const { allowedNetworks, caFile, publicUrl, metrics, receipts, captures } = settings
  const extraCa = caFile === null ? undefined : readCertificates('HULAKI_CARRIER_CA_FILE', caFile)
  const guard = { isAllowed: compileNetworkList(allowedNetworks), extraCa }
  const { recently, figures } = receipts
  const tally = createTally(metrics, receipts)
  const onReceipts = (some: FirstReceipt[]) => receipts.countFirstReceipts(some, (id) => carriers.find(id)?.name)
  const lane = createCarrierEventLane(ports, {
    metrics,
    onReceipts,
    onAccepted: (tx, accepted) => carriers.schedulePolls(tx, accepted),
  })
  const carriers = new Carriers(ports, { log, lane, metrics, tally, recently, figures, guard, publicUrl, captures })
  registerGauges(ports, {
    metrics,
    boundBinds: () => carriers.boundBinds(),
    workingCarriers: () => carriers.workingCarriers(),
    brokenCircuits: () => carriers.brokenCircuits(),
  })
  const loop = (name: string, turn: () => Promise<Turn>) =>
    new Loop({ name, clock: ports.clock, log, pollMs: POLL_MS, turn, isLoggedElsewhere: isAway })
  const pendingReports = loop('pending reports', async () => {
    const { looked, receipts: found } = await matchPendingReports(ports)
    onReceipts(found)
    return { worked: looked > 0, nextAt: await findNextMatchTime(ports.db) }
  })
  const sweeps = [
    loop('claims', async () => ({ worked: (await endLapsedClaims(ports)) > 0, nextAt: await findNextLapse(ports.db) })),
    pendingReports,
    loop('expiry', async () => {
      const ended = await expireWaiting(ports)
      const worked = (await expireUnreported(ports)) || ended > 0
      return { worked, nextAt: await nextEnd(ports) }
    }),
    loop('sorting', async () => ({ worked: await updateDestinations(ports) })),
  ]
  await ports.notifications.answer('delivery', () => carriers.wake())
  await ports.notifications.answer('pendingReports', () => pendingReports.wake())
  await ports.notifications.answer('carrierTests', () => carriers.test())
  await ports.notifications.answer('carriers', () => {
    carriers.refresh()
    for (const sweep of sweeps) sweep.wake()
  })
  return {
    name: 'delivery',
    settle: async () => {
      const worked = [await carriers.settle()]
      await lane.drain()
      for (const sweep of sweeps) worked.push(await sweep.settle())
      return worked.includes(true)
    },
    stop: async () => {
      // Sweeps stop first, because carriers cannot release their leases without a database.
      await Promise.all(sweeps.map((sweep) => sweep.stop()))
      await carriers.stop()
      await lane.drain()
    },
  }
}
