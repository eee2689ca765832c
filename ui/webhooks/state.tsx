// The status of a webhook event, and the response to an attempt.
import type { WebhookDelivery } from '../api/calls.ts'
import { Pill, type Tone } from '../parts/status.tsx'
import { words } from '../words/index.ts'

type State = WebhookDelivery['state']

export const STATES: readonly State[] = ['pending', 'delivered', 'failed']
export const EVENTS: readonly WebhookDelivery['event'][] = ['message.status', 'message.inbound', 'workspace.low_credit']
/** The lists that a new attempt changes. */
export const EVENT_LISTS = [
  'listWorkspaceWebhookDeliveries',
  'listAllWebhookDeliveries',
  'listWebhookEndpoints',
  'listAllWebhookEndpoints',
] as const
const TONES: Record<State, Tone> = { pending: 'warn', delivered: 'good', failed: 'bad' }

/** A pending event waits for its first attempt, or is retried. */
export function DeliveryState({
  delivery: { state, attemptCount },
}: {
  delivery: Pick<WebhookDelivery, 'state' | 'attemptCount'>
}) {
  if (state === 'pending' && attemptCount === 0) return <Pill tone="idle" word={words.webhooks.notAttempted} />
  return <Pill tone={TONES[state]} word={words.webhooks.states[state]} />
}

interface OutcomeProps {
  attempt: { statusCode: number | null; error: string | null }
  /** Without the error, where it is shown elsewhere. */
  isShort?: boolean
}

export function Outcome({ attempt: { statusCode, error }, isShort = false }: OutcomeProps) {
  if (statusCode !== null) return <span class={isAccepted(statusCode) ? undefined : 'bad'}>HTTP {statusCode}</span>
  return <span class="bad foreign">{isShort || error === null ? words.webhooks.noResponse : words.failure(error)}</span>
}

function isAccepted(statusCode: number): boolean {
  return statusCode >= 200 && statusCode <= 299
}
