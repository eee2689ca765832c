// The health of the endpoints above the events: failing ones first and large, the others in one line each.
import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import type { WebhookEndpoint } from '../api/calls.ts'
import { useAction, useList } from '../api/use.ts'
import { useCan, useTimeZone, useWorkspaceOrNull } from '../caller.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { capitalize, count, moment, share } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Pill, type Tone } from '../parts/status.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import css from './health.module.css'
import { ReplayDialog } from './replay.tsx'
import { EVENT_LISTS, Outcome } from './state.tsx'
import { Strip } from './strip.tsx'

/** New events come with changed messages. */
const TOPICS = ['webhooks', 'messages', 'settings'] as const
/** An endpoint without attempts becomes idle, and the half hours move. */
const EVERY_MS = 60_000
const SHOWN_LINES = 3
/** On the screen of the service, further failing endpoints are lines, so that the events stay in sight. */
const LARGE_IN_SERVICE = 3

/** On the screen of the service, `chosen` is the workspace of its filter. */
export function useEndpoints(chosen: string) {
  const own = useWorkspaceOrNull()
  const can = useCan()
  const canList = can('listWebhookEndpoints')
  const [isOwn, isChosen] = [own !== null, own === null && chosen !== '']
  const live = (when: boolean) => ({ when: when && canList, topics: TOPICS, everyMs: EVERY_MS })
  const ofWorkspace = useList('listWebhookEndpoints', { params: { id: own?.id ?? chosen } }, live(isOwn || isChosen))
  // All endpoints are listed newest first, so that the failing ones need a list of their own.
  const ofService = useList('listAllWebhookEndpoints', { query: {} }, live(!isOwn && !isChosen))
  const failing = useList('listAllWebhookEndpoints', { query: { state: 'failing' } }, live(!isOwn && !isChosen))
  if (isOwn || isChosen) return { ...ofWorkspace, isLoaded: !canList || isLoaded(ofWorkspace) }
  const others = ofService.items?.filter(({ state }) => state !== 'failing') ?? []
  const items = [...(failing.items ?? []), ...others]
  return { items, more: failing.more ?? ofService.more, isLoaded: isLoaded(ofService) && isLoaded(failing) }
}

function isLoaded({ items, error }: { items: unknown; error: unknown }): boolean {
  return Boolean(items || error)
}

export function EndpointHealth({ items = [], more }: Pick<ReturnType<typeof useEndpoints>, 'items' | 'more'>) {
  const [{ endpoints }, set] = useUrlState({ endpoints: '' })
  const isAll = endpoints === 'all'
  const isService = useWorkspaceOrNull() === null
  const failing = items.filter(({ state }) => state === 'failing').slice(0, isService ? LARGE_IN_SERVICE : items.length)
  const others = items.filter((it) => !failing.includes(it))
  const shown = isAll ? others : others.slice(0, SHOWN_LINES)
  return (
    <>
      {failing.map((endpoint) => (
        <FailingEndpoint key={endpoint.clientId} endpoint={endpoint} />
      ))}
      {shown.length > 0 && (
        <ul class={`card ${css.lines}`} aria-label={words.webhooks.endpoints}>
          {shown.map((endpoint) => (
            <EndpointLine key={endpoint.clientId} endpoint={endpoint} />
          ))}
        </ul>
      )}
      {!isAll && (others.length > shown.length || more) && (
        <div>
          <button type="button" onClick={() => set({ endpoints: 'all' })}>
            {words.webhooks.showAll}
          </button>
        </div>
      )}
      {isAll && more && (
        <div>
          <button type="button" onClick={more}>
            {words.parts.loadMore}
          </button>
        </div>
      )}
    </>
  )
}

function FailingEndpoint({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { clientId, clientName, workspaceId, url, failingSince, notifiedAt, attempts, failed, successRate } = endpoint
  const { latest, waiting, nextAttemptAt, halfHours } = endpoint
  const can = useCan()
  const time = useTimeText()
  const [isReplaying, setReplaying] = useState(false)
  return (
    <section class={`card ${css.failing}`} aria-label={clientName}>
      <div class={css.head}>
        <div class={css.title}>
          <span class="row">
            <h2 class="foreign">{clientName}</h2>
            <Pill tone="bad" word={words.webhooks.failingSince(failingSince ? time(failingSince) : '–')} />
          </span>
          <WorkspaceName of={endpoint} />
          <span class="mono foreign quiet">{url}</span>
        </div>
        <div class="row">
          {can('replayWebhookDeliveries') && (
            <button type="button" onClick={() => setReplaying(true)}>
              <Icon name="retry" />
              {words.webhooks.replay}
            </button>
          )}
          <SendTest endpoint={endpoint} isPrimary />
        </div>
      </div>
      <dl class={css.facts}>
        <div>
          <dt>{words.webhooks.successRate}</dt>
          <dd class={`${css.value} bad`}>{successRate === null ? '–' : share(successRate)}</dd>
          <dd class="meta">{words.webhooks.failedOf(count(failed), count(attempts))}</dd>
        </div>
        <div>
          <dt>{words.webhooks.lastResponse}</dt>
          <dd class={css.value}>{latest ? <Outcome attempt={latest} /> : '–'}</dd>
          <dd class="meta">
            {latest && `${words.webhooks.milliseconds(count(latest.milliseconds))}, ${time(latest.attemptedAt, true)}`}
          </dd>
        </div>
        <div>
          <dt>{words.webhooks.waiting}</dt>
          <dd class={css.value}>
            {waiting === 0 ? (
              '0'
            ) : (
              <Link href={`~/console/w/${workspaceId}/webhooks?state=pending&client=${clientId}`}>
                {words.webhooks.waitingEvents(waiting, count(waiting))}
              </Link>
            )}
          </dd>
          <dd class="meta">{nextAttemptAt && words.webhooks.nextAt(time(nextAttemptAt, true))}</dd>
        </div>
        <div>
          <dt>{capitalize(words.messages.lastOf['24h'])}</dt>
          <dd>
            <Strip of={halfHours} />
          </dd>
          <dd class={`meta ${css.axis}`} aria-hidden="true">
            <span>{halfHours[0] && time(halfHours[0].startsAt)}</span>
            <span>{words.webhooks.now}</span>
          </dd>
        </div>
      </dl>
      <p class={`meta ${css.note}`}>
        <Icon name="info" />
        <span>
          {notifiedAt && `${words.webhooks.notified(time(notifiedAt))} `}
          {words.webhooks.recover}
        </span>
      </p>
      {isReplaying && (
        <ReplayDialog clientId={clientId} since={failingSince} title={clientName} close={() => setReplaying(false)} />
      )}
    </section>
  )
}

const TONES: Record<WebhookEndpoint['state'], Tone> = {
  failing: 'bad',
  healthy: 'good',
  idle: 'idle',
  disabled: 'idle',
}

function EndpointLine({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { clientName, url, state, attempts, successRate, halfHours } = endpoint
  return (
    <li class={css.line}>
      <h2 class="foreign">{clientName}</h2>
      <WorkspaceName of={endpoint} />
      <Pill tone={TONES[state]} word={words.webhooks.endpointStates[state]} />
      <span class={`mono foreign quiet ${css.url}`}>{url}</span>
      <span class="quiet">
        {successRate === null
          ? words.webhooks.noAttemptsToday
          : words.webhooks.rateOf(share(successRate), count(attempts))}
      </span>
      <span class={css.small}>
        <Strip of={halfHours} />
      </span>
      {state !== 'disabled' && <SendTest endpoint={endpoint} />}
    </li>
  )
}

/** On the screen of the service, a link to the webhooks of the workspace. */
function WorkspaceName({ of: { workspaceId, workspaceName } }: { of: WebhookEndpoint }) {
  const isService = useWorkspaceOrNull() === null
  if (!isService) return null
  return (
    <Link href={`~/console/w/${workspaceId}/webhooks`} class="foreign">
      {workspaceName}
    </Link>
  )
}

interface SendTestProps {
  endpoint: WebhookEndpoint
  isPrimary?: boolean
}

/** The page of the event opens and shows the result. */
function SendTest({ endpoint: { clientId, clientName, workspaceId }, isPrimary = false }: SendTestProps) {
  const can = useCan()
  const [, go] = useLocation()
  const act = useAction('sendTestEvent', EVENT_LISTS)
  const send = () =>
    act.mutate(
      { params: { id: clientId } },
      { onSuccess: (sent) => go(`~/console/w/${workspaceId}/webhooks/${sent.id}`) },
    )
  if (!can('sendTestEvent')) return null
  return (
    <>
      <button
        type="button"
        class={isPrimary ? 'primary' : undefined}
        aria-disabled={act.isPending}
        onClick={() => !act.isPending && send()}
      >
        <Icon name="send" />
        {words.webhooks.sendTest}
        <span class="hidden">{clientName}</span>
      </button>
      {act.error && <ErrorNote error={act.error} />}
    </>
  )
}

const DAY_MS = 86_400_000

/** A time of the last day without its date. */
function useTimeText(): (at: string, hasSeconds?: boolean) => string {
  const timeZone = useTimeZone()
  return (at, hasSeconds = false) => {
    const isOlder = Math.abs(Date.now() - Date.parse(at)) >= DAY_MS
    return moment(at, isOlder ? 'row' : hasSeconds ? 'second' : 'time', timeZone)
  }
}
