// One webhook event: its details, its body, its attempts, and a button to resend it.
import { useState } from 'preact/hooks'
import { Link, useParams } from 'wouter-preact'
import type { WholeWebhookDelivery } from '../api/calls.ts'
import { useCall } from '../api/use.ts'
import { useCan } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Copy } from '../parts/copy.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Facts } from '../parts/facts.tsx'
import { count, fromNow, shortId } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { words } from '../words/index.ts'
import css from './delivery.module.css'
import { Resend } from './resend.tsx'
import { DeliveryState, Outcome } from './state.tsx'

const MASK = '••••'

export function Screen() {
  const { id = '' } = useParams<{ id: string }>()
  const can = useCan()
  const input = { params: { id } }
  const { data, error } = useCall('getWebhookDelivery', input, { topics: ['webhooks', 'settings'] })
  const delivery = data?.id === id ? data : undefined
  return (
    <Page
      title={words.screens.delivery}
      about={delivery && <DeliveryState delivery={delivery} />}
      parents={[['/webhooks', words.screens.webhooks]]}
      here={shortId(id)}
      hasTimes
      more={<ApiButton of="getWebhookDelivery" input={input} />}
      actions={can('resendWebhookDelivery') && <Resend id={id} isPrimary isWaiting={!delivery} />}
    >
      {error && !delivery && <ErrorNote error={error} />}
      {delivery && (
        <>
          <section class="card stack">
            <DeliveryFacts delivery={delivery} />
          </section>
          <section class="card stack" aria-labelledby="body">
            <h2 id="body">{words.webhooks.body}</h2>
            <pre class="foreign">
              <Copy text={delivery.body} />
            </pre>
            {delivery.body.includes(MASK) && <p class="quiet">{words.webhooks.masked}</p>}
          </section>
          <section class="card stack" aria-labelledby="attempts">
            <h2 id="attempts">{words.webhooks.attemptLog}</h2>
            {delivery.attempts.length === 0 && <p class="quiet">{words.webhooks.noAttempts}</p>}
            <ol class="stack">
              {delivery.attempts.map((attempt, index, { length }) => (
                <li key={attempt.number}>
                  <Attempt attempt={attempt} isLatest={index === length - 1} />
                </li>
              ))}
            </ol>
          </section>
        </>
      )}
    </Page>
  )
}

function DeliveryFacts({ delivery }: { delivery: WholeWebhookDelivery }) {
  const { id, clientId, event, status, messageId, failureReason, nextAttemptAt, createdAt, endedAt } = delivery
  const { data: client } = useCall('getClient', { params: { id: clientId } })
  return (
    <Facts
      of={[
        ...(failureReason ? [[words.common.reason, words.webhooks.failureReasons[failureReason]] as const] : []),
        [
          words.webhooks.nextAttempt,
          <span key="next">
            <Moment at={nextAttemptAt} /> <span class="quiet">{nextAttemptAt && fromNow(nextAttemptAt)}</span>
          </span>,
        ],
        [
          words.webhooks.event,
          <span key="event">
            <code>{event}</code> {status && words.status[status]}
          </span>,
        ],
        [
          words.common.client,
          <Link key="client" class="foreign" href={`/clients/${clientId}`}>
            {client?.id === clientId ? client.name : shortId(clientId)}
          </Link>,
        ],
        ...(messageId
          ? [
              [
                words.webhooks.message,
                <Link key="message" class="mono" href={`/messages/${messageId}`}>
                  {messageId}
                </Link>,
              ] as const,
            ]
          : []),
        [words.common.id, <Copy key="id" text={id} />],
        [words.common.created, <Moment key="created" at={createdAt} style="whole" />],
        [words.webhooks.completed, <Moment key="ended" at={endedAt} style="whole" />],
      ]}
    />
  )
}

/** The latest attempt is open at first. A new attempt is added below and changes no other. */
function Attempt({ attempt, isLatest }: { attempt: WholeWebhookDelivery['attempts'][number]; isLatest: boolean }) {
  const [isOpen] = useState(isLatest)
  const { number, attemptedAt, milliseconds, url, answer, statusCode } = attempt
  return (
    <details open={isOpen} class={css.attempt}>
      <summary>
        {count(number)} · <Moment at={attemptedAt} /> · <Outcome attempt={attempt} /> ·{' '}
        <span class="quiet">{words.webhooks.milliseconds(count(milliseconds))}</span>
      </summary>
      <div class={css.details}>
        <p class="foreign mono">{url}</p>
        {answer ? (
          <pre class={`foreign ${css.answer}`}>{answer}</pre>
        ) : (
          statusCode !== null && <p class="quiet">{words.webhooks.emptyResponse}</p>
        )}
      </div>
    </details>
  )
}
