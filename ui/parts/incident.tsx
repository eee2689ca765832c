// One incident: the cause, the impact in figures, and the next step as a button.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Incident } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { useTimeZone } from '../caller.ts'
import { words } from '../words/index.ts'
import { Confirm } from './confirm.tsx'
import { count, duration, moment, money } from './format.ts'
import { Icon } from './icon.tsx'
import css from './incident.module.css'
import { causeOf, titleOf } from './incident-text.ts'

type Step = Incident['next'][number]

const TONES = { outage: css.outage, degraded: css.degraded, notice: css.notice } as const

interface Props {
  incident: Incident
  /** The time of the check. */
  now: string
  /** The path of the screen, to which no step leads. */
  here?: string
}

export function IncidentCard({ incident, now, here }: Props) {
  const { severity, since, impact, retryAt } = incident
  const next = incident.next.filter((step) => hrefOf(step) !== here)
  const timeZone = useTimeZone()
  const hasImpact = impact.waiting || impact.refused || impact.workspaces
  return (
    <article class={`card ${css.incident} ${TONES[severity]}`}>
      <header class={css.verdict}>
        <Icon name={severity === 'notice' ? 'info' : 'alert'} />
        <h2>
          <strong>{words.now.severities[severity]}:</strong> <span class="foreign">{titleOf(incident)}</span>
        </h2>
        {since && (
          <span class="meta push">
            {words.now.since(
              moment(since, 'row', timeZone),
              duration(Math.max(0, Date.parse(now) - Date.parse(since))),
            )}
          </span>
        )}
      </header>
      <div class={next.length > 0 ? css.body : undefined}>
        <div class={css.main}>
          <p class="foreign">{causeOf(incident)}</p>
          {hasImpact && <Impact incident={incident} />}
          {retryAt && <p class="meta">{words.now.retrying(moment(retryAt, 'second', timeZone))}</p>}
        </div>
        {next.length > 0 && (
          <aside class={css.next} aria-label={words.now.nextStep}>
            <h3>{words.now.nextStep}</h3>
            {next.map((step, index) => (
              <NextStep key={`${step.kind} ${step.carrierId}`} step={step} isFirst={index === 0} />
            ))}
          </aside>
        )}
      </div>
    </article>
  )
}

function Impact({ incident }: { incident: Incident }) {
  const { waiting, refused, workspaces } = incident.impact
  const timeZone = useTimeZone()
  const about = (isEstimate: boolean, value: number) => (isEstimate ? words.now.about(count(value)) : count(value))
  return (
    <dl class={css.impact}>
      {waiting && (
        <Figure
          name={words.now.messagesWaiting}
          note={waiting.firstExpiresAt && words.now.firstExpires(moment(waiting.firstExpiresAt, 'row', timeZone))}
        >
          <Link href={waitingHref(incident)}>{about(waiting.isEstimate, waiting.messages)}</Link>
        </Figure>
      )}
      {refused && (
        <Figure
          name={words.now.requestsRejected}
          note={words.now.rejectedSince(
            refused.codes.map(({ code }) => code).join(', '),
            moment(refused.since, 'time', timeZone),
          )}
        >
          {about(refused.isEstimate, refused.requests)}
        </Figure>
      )}
      {workspaces && (
        <Figure
          name={words.now.workspacesAffected}
          note={
            <>
              {workspaces.first.map(({ id, name }, index) => (
                <>
                  {index > 0 && ', '}
                  <Link href={waitingHref(incident, id)} class="foreign">
                    {name}
                  </Link>
                </>
              ))}
              {workspaces.count > workspaces.first.length && ` +${count(workspaces.count - workspaces.first.length)}`}
            </>
          }
        >
          {waiting ? <Link href={waitingHref(incident)}>{count(workspaces.count)}</Link> : count(workspaces.count)}
        </Figure>
      )}
    </dl>
  )
}

/** The messages that the incident counts as waiting: for its carrier, in its country, of its type, or all. */
function waitingHref({ about }: Pick<Incident, 'about'>, workspaceId?: string): string {
  const filter = new URLSearchParams({ status: 'queued' })
  if (about?.kind === 'carrier') filter.set('carrier', about.id)
  if (about?.kind === 'country') filter.set('country', about.id)
  if (about?.kind === 'message_type') filter.set('type', about.id)
  if (workspaceId) filter.set('workspace', workspaceId)
  return `/messages?${filter}`
}

function Figure({ name, note, children }: { name: string; note: ComponentChildren; children: ComponentChildren }) {
  return (
    <div>
      <dt class="meta">{name}</dt>
      <dd>
        <span class={css.figure}>{children}</span>
        <span class="meta">{note}</span>
      </dd>
    </div>
  )
}

/** A button that does the step, or a link to the screen where it is done. */
function NextStep({ step, isFirst }: { step: Step; isFirst: boolean }) {
  const style = isFirst ? 'primary' : ''
  const { requested } = step
  const label = words.now.steps[step.kind](requested ? money(requested.amount, requested.currency) : (step.name ?? ''))
  const cost = step.costDifference
  if (step.kind === 'resume_sending') return <ResumeSending style={style} label={label} />
  return (
    <>
      {step.kind === 'route_to_carrier' && (
        <p class="quiet">
          {words.now.routeHint(
            step.name ?? '',
            cost ? money(Math.abs(cost.amount), cost.currency) : null,
            cost ? Math.sign(cost.amount) : 0,
          )}
        </p>
      )}
      <Link href={hrefOf(step)} class={`button ${style}`}>
        {step.kind === 'route_to_carrier' && <Icon name="route" />}
        {label}
      </Link>
    </>
  )
}

function hrefOf({ kind, carrierId = '', countryCode = '', workspaceId = '', clientId = '' }: Step): string {
  switch (kind) {
    case 'route_to_carrier':
      return `/carriers?route=new&to=${countryCode}&carrier=${carrierId}`
    case 'add_route':
      return `/carriers?route=new&to=${countryCode}`
    case 'add_carrier':
      return '/carriers/new'
    case 'add_country':
      return '/carriers?country=new'
    case 'test_carrier':
    case 'open_carrier':
    case 'open_receipts':
    case 'review_messages_in_doubt':
      return `/carriers/${carrierId}`
    case 'enable_carrier':
    case 'request_one_receipt':
      return `/carriers/${carrierId}?tab=settings`
    case 'capture_traffic':
      return `/carriers/${carrierId}?tab=wire`
    case 'top_up':
      return `/workspaces/${workspaceId}`
    case 'activate_workspace':
      return '/workspaces'
    case 'open_endpoint':
      return `~/console/w/${workspaceId}/webhooks?show=endpoints&client=${clientId}`
    case 'open_requests':
      return `~/console/w/${workspaceId}/requests`
    case 'review_templates':
      return '/review'
    case 'resume_sending':
      return '/now'
  }
}

function ResumeSending({ style, label }: { style: string; label: string }) {
  const [isOpen, setOpen] = useState(false)
  const change = useAction('changeService', ['getNow'])
  return (
    <>
      <button type="button" class={style} onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <Confirm
          title={words.now.resumeSending}
          effect={words.now.resumeSendingEffect}
          isDangerous={false}
          submit={() => change.mutate({ body: { smsEnabled: true } }, { onSuccess: () => setOpen(false) })}
          mutation={change}
          close={() => setOpen(false)}
        />
      )}
    </>
  )
}
