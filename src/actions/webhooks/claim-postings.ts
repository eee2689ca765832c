// Claims due webhook deliveries for this process (§6.4).
import { type SigningSecrets, secretsAt } from '../../domain/webhooks/signature.ts'
import type { WebhookEvent } from '../../domain/webhooks/webhook-event.ts'
import { failureBeforePosting } from '../../domain/webhooks/webhook-schedule.ts'
import {
  type ClaimCompletion,
  type ClaimedPostingRow,
  claimDuePostings,
  completeClaims,
  type PostingClaimRequest,
} from '../../store/webhooks/webhook-queue.ts'
import type { Ports } from '../ports.ts'
import { webhookSecretContext } from '../workspaces/manage-clients.ts'

/** A delivery with the current URL and secrets of its client. Not valid for a later posting. */
export interface ClaimedPosting {
  deliveryId: string
  claimId: string
  clientId: string
  workspaceId: string
  /** Number of the posting since the delivery was last queued, from 1. */
  number: number
  url: string
  event: WebhookEvent
  secrets: SigningSecrets
}

interface Claim {
  postings: ClaimedPosting[]
  /** Number of deliveries that ended because they cannot be posted. */
  discarded: number
  /** The next claim continues after this workspace; null if all were searched. */
  scannedTo: string | null
}

/** Longer than the 10 s of a posting plus storing its result. */
const LEASE_MS = 30_000

export async function claimPostings(
  ports: Ports,
  request: Omit<PostingClaimRequest, 'claimId' | 'now' | 'leaseEndsAt'>,
): Promise<Claim> {
  const now = ports.clock.now()
  const claimId = ports.ids.next()
  const leaseEndsAt = new Date(now.getTime() + LEASE_MS)
  const rows = await claimDuePostings(ports.db, { ...request, claimId, now, leaseEndsAt })
  const discarded = await discardUnfinished(ports, claimId, rows)
  const secretsOf = openSecrets(ports, now)
  const postings = rows.flatMap((row) => {
    const { deliveryId, clientId, workspaceId, postings, url, name, body } = row
    if (url === null || failureBeforePosting(row) !== null) return []
    const receiver = { clientId, workspaceId, url, secrets: secretsOf(row) }
    return [{ deliveryId, claimId, number: postings + 1, event: { name, body }, ...receiver }]
  })
  return { postings, discarded, scannedTo: rows.length < request.limit ? null : lastWorkspace(rows) }
}

/** Ends deliveries that cannot be posted. */
async function discardUnfinished(ports: Ports, claimId: string, rows: ClaimedPostingRow[]): Promise<number> {
  const failed = rows.flatMap((row): ClaimCompletion[] => {
    const because = failureBeforePosting(row)
    return because ? [{ deliveryId: row.deliveryId, claimId, posting: null, next: { kind: 'failed', because } }] : []
  })
  if (failed.length > 0) await completeClaims(ports.db, failed, ports.clock.now())
  return failed.length
}

/** Opens the secrets of a client once per claim. */
function openSecrets({ keyring }: Ports, now: Date): (row: ClaimedPostingRow) => SigningSecrets {
  const opened = new Map<string, SigningSecrets>()
  return ({ clientId, secretSealed, previousSecretSealed, previousSecretEndsAt: endsAt }) => {
    const open = (sealed: Buffer) => keyring.open('secrets', webhookSecretContext(clientId), sealed)
    const previous = () => (previousSecretSealed && endsAt ? { secret: open(previousSecretSealed), endsAt } : null)
    return opened.getOrInsertComputed(clientId, () => secretsAt(now, open(secretSealed), previous()))
  }
}

function lastWorkspace(rows: ClaimedPostingRow[]): string | null {
  return rows.reduce<string | null>((last, { workspaceId: id }) => (last && last > id ? last : id), null)
}
