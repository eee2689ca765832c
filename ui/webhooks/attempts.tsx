// The attempts of an event inside its row: each with its response, and the actions on the event.

import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useCall } from '../api/use.ts'
import { useCan } from '../caller.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { count } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { words } from '../words/index.ts'
import css from './attempts.module.css'
import { Resend } from './resend.tsx'
import { Outcome } from './state.tsx'

export function DeliveryDetails({ id, workspaceId }: { id: string; workspaceId: string }) {
  const can = useCan()
  const [chosen, setChosen] = useState<number | null>(null)
  const { data, error } = useCall('getWebhookDelivery', { params: { id } }, { topics: ['webhooks', 'settings'] })
  const attempts = data?.attempts ?? []
  const shown = attempts.find(({ number }) => number === chosen) ?? attempts.at(-1)
  return (
    <div class={css.columns}>
      {error && !data && <ErrorNote error={error} />}
      <ol class={css.attempts} aria-label={words.webhooks.attemptLog} aria-busy={!data && !error}>
        {attempts.map((attempt) => (
          <li key={attempt.number}>
            <button
              type="button"
              class={`plain ${css.attempt}`}
              aria-pressed={attempt === shown}
              onClick={() => setChosen(attempt.number)}
            >
              <span class="quiet">{count(attempt.number)}</span>
              <span class="mono">
                <Moment at={attempt.attemptedAt} style="millisecond" />
              </span>
              <Outcome attempt={attempt} isShort />
              <span class="quiet push">{words.webhooks.milliseconds(count(attempt.milliseconds))}</span>
            </button>
          </li>
        ))}
        {data && attempts.length === 0 && <li class="quiet">{words.webhooks.noAttempts}</li>}
      </ol>
      <div class={css.response}>
        {shown && (
          <>
            <p class="meta mono foreign">{shown.url}</p>
            <pre class={`foreign ${css.body}`}>
              {shown.answer || (shown.error && words.failure(shown.error)) || words.webhooks.emptyResponse}
            </pre>
          </>
        )}
      </div>
      <div class={css.actions}>
        {can('resendWebhookDelivery') && <Resend id={id} />}
        <Link class="button" href={`~/console/w/${workspaceId}/webhooks/${id}`}>
          {words.webhooks.openEvent}
        </Link>
      </div>
    </div>
  )
}
