// The role that talks to carriers: keeps binds, submits what is due, takes in reports and replies, and sees to it that
// every message comes to an end.
import type { Captures } from '../actions/carriers/captures.ts'
import type { ReceiptTally } from '../actions/carriers/receipt-tally.ts'
import { createCarrierEventLane } from '../actions/carriers/record-carrier-events.ts'
import { expireUnreported, expireWaiting, nextEnd } from '../actions/messages/expire-messages.ts'
import { matchOrphans } from '../actions/messages/record-reports.ts'
import { updateDestinations } from '../actions/messages/update-destinations.ts'
import type { Ports } from '../actions/ports.ts'
import type { FirstReceipt } from '../domain/messages/first-receipts.ts'
import { compileNetworkList } from '../domain/network.ts'
import { readCertificates } from '../outbound/certificates.ts'
import type { Log } from '../runtime/log.ts'
import { Loop, type ServiceRole, type Turn } from '../runtime/loop.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { isAway } from '../store/database/db.ts'
import { findNextMatchTime } from '../store/messages/reports.ts'
import { Carriers } from './carriers.ts'
import { countNews, measure } from './worker/measures.ts'

const POLL_MS = 10_000

export interface DeliverySettings {
  /** The operator's exceptions to the addresses no carrier over HTTP may have (D50). */
  allowedNetworks: string[]
  /** Certificates to trust beside those that Node trusts, for carriers over HTTP. */
  caFile: string | null
  /** Where carriers over HTTP reach us with receipts; null is nowhere. */
  publicUrl: string | null
  metrics: Metrics
  /** What this process counts of receipts, from here and from callbacks. */
  receipts: ReceiptTally
  captures: Captures
}

export async function startDelivery(ports: Ports, log: Log, settings: DeliverySettings): Promise<ServiceRole> {
  const { allowedNetworks, caFile, publicUrl, metrics, receipts, captures } = settings
  const extraCa = caFile === null ? undefined : readCertificates('HULAKI_CARRIER_CA_FILE', caFile)
  const guard = { isAllowed: compileNetworkList(allowedNetworks), extraCa }
  const { lately, figures } = receipts
  const tally = countNews(metrics, receipts)
  const onReceipts = (some: FirstReceipt[]) => receipts.countFirstReceipts(some, (id) => carriers.find(id)?.name)
  const lane = createCarrierEventLane(ports, {
    onReceipts,
    onAccepted: (tx, accepted) => carriers.schedulePolls(tx, accepted),
  })
  const carriers = new Carriers(ports, { log, lane, metrics, tally, lately, figures, guard, publicUrl, captures })
  measure(ports, {
    metrics,
    boundBinds: () => carriers.boundBinds(),
    workingCarriers: () => carriers.workingCarriers(),
    brokenCircuits: () => carriers.brokenCircuits(),
  })
  const loop = (name: string, turn: () => Promise<Turn>) =>
    new Loop({ name, clock: ports.clock, log, pollMs: POLL_MS, turn, isLoggedElsewhere: isAway })
  const orphans = loop('orphans', async () => {
    const { looked, receipts: found } = await matchOrphans(ports)
    onReceipts(found)
    return { worked: looked > 0, nextAt: await findNextMatchTime(ports.db) }
  })
  const sweeps = [
    orphans,
    loop('expiry', async () => {
      const ended = await expireWaiting(ports)
      const worked = (await expireUnreported(ports)) || ended > 0
      return { worked, nextAt: await nextEnd(ports) }
    }),
    loop('sorting', async () => ({ worked: await updateDestinations(ports) })),
  ]
  await ports.notifications.answer('delivery', () => carriers.wake())
  await ports.notifications.answer('orphans', () => orphans.wake())
  await ports.notifications.answer('carrierTests', () => carriers.test())
  await ports.notifications.answer('carriers', () => {
    carriers.look()
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
      // First what always succeeds: without a database the carriers cannot let go of their leases.
      await Promise.all(sweeps.map((sweep) => sweep.stop()))
      await carriers.stop()
      await lane.drain()
    },
  }
}
