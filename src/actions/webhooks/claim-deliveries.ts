// Claims due webhook deliveries for this process (§6.4), and reads the endpoints that they go to.
import { type SigningSecrets, secretsAt } from '../../domain/webhooks/signature.ts'
import type { WebhookEvent } from '../../domain/webhooks/webhook-event.ts'
import { parseWebhookTarget, type WebhookTarget } from '../../domain/webhooks/webhook-url.ts'
import {
  claimDueDeliveries,
  type DeliveryClaimRequest,
  type EndpointRow,
  endClaims,
  findNextRetryTime,
  lockLapsedClaims,
  readEndpoints,
} from '../../store/webhooks/webhook-queue.ts'
import type { Ports } from '../ports.ts'
import { webhookSecretContext } from '../workspaces/manage-clients.ts'

export interface ClaimedDelivery {
  deliveryId: string
  claimId: string
  clientId: string
  workspaceId: string
  /** Number of the attempt since the delivery was last queued, from 1. */
  number: number
  /** Claims without a result, including this one. */
  claims: number
  event: WebhookEvent
  leasedUntil: Date
}

interface Claim {
  deliveries: ClaimedDelivery[]
  /** The next claim continues after this workspace; null if all were searched. */
  scannedTo: string | null
}

/** Long enough for deliveries that wait in memory; `POST_BEFORE_LEASE_END_MS` of it are left when the last of them is posted. */
const LEASE_MS = 30_000
/** The 10 s of an attempt, and storing its result. */
const POST_BEFORE_LEASE_END_MS = 15_000
const MAX_LAPSED_AT_ONCE = 20

export async function claimDeliveries(
  ports: Ports,
  request: Omit<DeliveryClaimRequest, 'claimId' | 'now' | 'leasedUntil'>,
): Promise<Claim> {
  const now = ports.clock.now()
  const claimId = ports.ids.next()
  const leasedUntil = new Date(now.getTime() + LEASE_MS)
  const rows = await claimDueDeliveries(ports.db, { ...request, claimId, now, leasedUntil })
  let last: string | null = null
  const deliveries = rows.map(
    ({ deliveryId, clientId, workspaceId, attempts, claims, name, body }): ClaimedDelivery => {
      if (last === null || workspaceId > last) last = workspaceId
      return {
        ...{ deliveryId, claimId, clientId, workspaceId, number: attempts + 1, claims },
        ...{ event: { name, body }, leasedUntil },
      }
    },
  )
  return { deliveries, scannedTo: rows.length < request.limit ? null : last }
}

/** False for a delivery that waited in memory for so long that another process could post it at the same time. */
export function mayStillPost({ leasedUntil }: ClaimedDelivery, now: Date): boolean {
  return leasedUntil.getTime() - now.getTime() >= POST_BEFORE_LEASE_END_MS
}

/** Returns the deliveries of processes that ended to the queue. Returns whether there were any. */
export function endLapsedClaims({ db, clock }: Ports): Promise<boolean> {
  return db.transaction(async (tx) => {
    const lapsed = await lockLapsedClaims(tx, { now: clock.now(), limit: MAX_LAPSED_AT_ONCE })
    if (lapsed.length > 0) await endClaims(tx, lapsed)
    return lapsed.length > 0
  })
}

/** When the next retry falls due, or a lease ends. */
export function nextRetryTime({ db, clock }: Ports): Promise<Date | null> {
  return findNextRetryTime(db, clock.now())
}

/** The endpoint of a client at the moment of reading. */
export interface WebhookEndpoint {
  /** Null for a client without one. */
  url: string | null
  isDisabled: boolean
  /** Null if they cannot be read. */
  target: WebhookTarget | null
  secrets: SigningSecrets | null
}

export async function loadEndpoints(ports: Ports, clientIds: string[]): Promise<Map<string, WebhookEndpoint>> {
  const rows = await readEndpoints(ports.db, clientIds)
  const now = ports.clock.now()
  return new Map(
    rows.map((row) => {
      const { clientId, isDisabled, url } = row
      const target = unlessUnreadable(() => url && parseWebhookTarget(url)) || null
      return [clientId, { url, isDisabled, target, secrets: unlessUnreadable(() => openSecrets(ports, row, now)) }]
    }),
  )
}

/** Unreadable settings of one client must not keep the events of others. */
function unlessUnreadable<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch {
    return null
  }
}

function openSecrets({ keyring }: Ports, row: EndpointRow, now: Date): SigningSecrets {
  const { clientId, secretSealed, previousSecretSealed, previousSecretEndsAt: endsAt } = row
  const open = (sealed: Buffer) => keyring.open('secrets', webhookSecretContext(clientId), sealed)
  const previous = previousSecretSealed && endsAt ? { secret: open(previousSecretSealed), endsAt } : null
  return secretsAt(now, open(secretSealed), previous)
}
