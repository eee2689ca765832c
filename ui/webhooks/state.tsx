// The status of a webhook event, and the response to an attempt.
import type { WebhookDelivery } from '../api/calls.ts'
import { Status, type Tone } from '../parts/status.tsx'
import { words } from '../words/index.ts'

type State = WebhookDelivery['state']

export const STATES: readonly State[] = ['pending', 'delivered', 'failed']
const TONES: Record<State, Tone> = { pending: 'neutral', delivered: 'good', failed: 'bad' }

export function toneOf(state: State): Tone {
  return TONES[state]
}

/** A pending event with a failed attempt is marked. */
export function DeliveryState({
  delivery: { state, attemptCount },
}: {
  delivery: Pick<WebhookDelivery, 'state' | 'attemptCount'>
}) {
  const tone = state === 'pending' && attemptCount > 0 ? 'warning' : toneOf(state)
  return <Status tone={tone}>{words.webhooks.states[state]}</Status>
}

export function Outcome({ attempt }: { attempt: { statusCode: number | null; error: string | null } }) {
  const { statusCode, error } = attempt
  if (statusCode !== null) return <span class={`mono ${isAccepted(statusCode) ? 'good' : 'bad'}`}>{statusCode}</span>
  return (
    <>
      <span class="bad">{words.webhooks.noResponse}</span> <span class="quiet foreign">{error}</span>
    </>
  )
}

function isAccepted(statusCode: number): boolean {
  return statusCode >= 200 && statusCode <= 299
}
