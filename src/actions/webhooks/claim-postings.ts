// Claims deliveries that are due, for the process that will post them (§6.4).
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

/** A delivery to be posted now, as its client stands now: nothing of this may be kept for a later posting. */
export interface ClaimedPosting {
  deliveryId: string
  claimId: string
  clientId: string
  workspaceId: string
  /** Counts from 1 within its round. */
  number: number
  url: string
  event: WebhookEvent
  secrets: SigningSecrets
}

interface Claim {
  postings: ClaimedPosting[]
  /** How many could not be posted, and have ended. */
  discarded: number
  /** The workspace behind which there may be more; null when the walk came to its end. */
  walkedTo: string | null
}

/** Longer than the 10 s of a posting and the writing of its result; then another process may try. */
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
  return { postings, discarded, walkedTo: rows.length < request.limit ? null : lastWorkspace(rows) }
}

/** What cannot be posted ends here, without a posting. */
async function discardUnfinished(ports: Ports, claimId: string, rows: ClaimedPostingRow[]): Promise<number> {
  const dead = rows.flatMap((row): ClaimCompletion[] => {
    const because = failureBeforePosting(row)
    return because ? [{ deliveryId: row.deliveryId, claimId, posting: null, next: { kind: 'failed', because } }] : []
  })
  if (dead.length > 0) await completeClaims(ports.db, dead, ports.clock.now())
  return dead.length
}

/** A receiver's secrets are opened once per claim, however many of its deliveries are in it. */
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
