// Claims due webhook deliveries for this process (§6.4).
import { type SigningSecrets, secretsAt } from '../../domain/webhooks/signature.ts'
import type { WebhookEvent } from '../../domain/webhooks/webhook-event.ts'
import { failureBeforeAttempt } from '../../domain/webhooks/webhook-schedule.ts'
import {
  type AttemptClaimRequest,
  type ClaimCompletion,
  type ClaimedAttemptRow,
  claimDueAttempts,
  completeClaims,
} from '../../store/webhooks/webhook-queue.ts'
import type { Ports } from '../ports.ts'
import { webhookSecretContext } from '../workspaces/manage-clients.ts'

/** A delivery with the current URL and secrets of its client. Not valid for a later attempt. */
export interface ClaimedAttempt {
  deliveryId: string
  claimId: string
  clientId: string
  workspaceId: string
  /** Number of the attempt since the delivery was last queued, from 1. */
  number: number
  url: string
  event: WebhookEvent
  secrets: SigningSecrets
}

interface Claim {
  attempts: ClaimedAttempt[]
  /** Number of deliveries that ended because they cannot be posted. */
  discarded: number
  /** The next claim continues after this workspace; null if all were searched. */
  scannedTo: string | null
}

/** Longer than the 10 s of an attempt plus storing its result. */
const LEASE_MS = 30_000

export async function claimAttempts(
  ports: Ports,
  request: Omit<AttemptClaimRequest, 'claimId' | 'now' | 'leaseEndsAt'>,
): Promise<Claim> {
  const now = ports.clock.now()
  const claimId = ports.ids.next()
  const leaseEndsAt = new Date(now.getTime() + LEASE_MS)
  const rows = await claimDueAttempts(ports.db, { ...request, claimId, now, leaseEndsAt })
  const discarded = await discardUnfinished(ports, claimId, rows)
  const secretsOf = openSecrets(ports, now)
  const attempts = rows.flatMap((row) => {
    const { deliveryId, clientId, workspaceId, attempts, url, name, body } = row
    if (url === null || failureBeforeAttempt(row) !== null) return []
    const endpoint = { clientId, workspaceId, url, secrets: secretsOf(row) }
    return [{ deliveryId, claimId, number: attempts + 1, event: { name, body }, ...endpoint }]
  })
  return { attempts, discarded, scannedTo: rows.length < request.limit ? null : lastWorkspace(rows) }
}

/** Ends deliveries that cannot be posted. */
async function discardUnfinished(ports: Ports, claimId: string, rows: ClaimedAttemptRow[]): Promise<number> {
  const failed = rows.flatMap((row): ClaimCompletion[] => {
    const because = failureBeforeAttempt(row)
    return because ? [{ deliveryId: row.deliveryId, claimId, attempt: null, next: { kind: 'failed', because } }] : []
  })
  if (failed.length > 0) await completeClaims(ports.db, failed, ports.clock.now())
  return failed.length
}

/** Opens the secrets of a client once per claim. */
function openSecrets({ keyring }: Ports, now: Date): (row: ClaimedAttemptRow) => SigningSecrets {
  const opened = new Map<string, SigningSecrets>()
  return ({ clientId, secretSealed, previousSecretSealed, previousSecretEndsAt: endsAt }) => {
    const open = (sealed: Buffer) => keyring.open('secrets', webhookSecretContext(clientId), sealed)
    const previous = () => (previousSecretSealed && endsAt ? { secret: open(previousSecretSealed), endsAt } : null)
    return opened.getOrInsertComputed(clientId, () => secretsAt(now, open(secretSealed), previous()))
  }
}

function lastWorkspace(rows: ClaimedAttemptRow[]): string | null {
  return rows.reduce<string | null>((last, { workspaceId: id }) => (last && last > id ? last : id), null)
}
