// One message: its text and segments, its timeline, and the next step where something went wrong.
import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Link, useParams } from 'wouter-preact'
import { DELETED_TEXT, HIDDEN_CODE, HIDDEN_TEXT } from '../../src/domain/people/masking.ts'
import type { Message, Timeline } from '../api/calls.ts'
import { type MessageUpdates, useMessageUpdates } from '../api/stream.ts'
import { keyOf, useAction, useCall } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { useCan, useTimeZone, useWorkspace } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Banner } from '../parts/banner.tsx'
import { useClients } from '../parts/clients.ts'
import { Copy } from '../parts/copy.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Facts } from '../parts/facts.tsx'
import { capitalize, count, duration, encodingName, fromNow, moment, money, shortId } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page, SectionHead } from '../parts/page.tsx'
import { Pill, reasonOf, toneOf } from '../parts/status.tsx'
import { foreign } from '../parts/text.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import { ActionButtons, ActionResult, type Done } from './action-buttons.tsx'
import { isCancelled } from './actions.ts'
import css from './message.module.css'
import { foreignCharacters, piecesOf } from './segments.ts'
import { type EventText, listEvents, partlyAccepted } from './timeline.ts'

const MAX_CHARACTERS = 20

export function Screen() {
  const { id = '' } = useParams<{ id: string }>()
  const workspace = useWorkspace()
  const can = useCan()
  const queries = useQueryClient()
  const [of, setOf] = useState<{ id: string; done: Done } | null>(null)
  const setDone = (done: Done) => setOf({ id, done })
  // The result of an action belongs to one message only.
  const done = of?.id === id ? of.done : null
  const input = { params: { id } }
  const { data, error } = useCall('getTimeline', input, { topics: ['webhooks'] })
  const reload = () => inBackground(queries.invalidateQueries({ queryKey: keyOf('getTimeline') }))
  const receive = ({ items, more }: MessageUpdates) => {
    if (more > 0 || items.some((it) => it.id === id)) reload()
  }
  useMessageUpdates(workspace.id, receive, reload)
  const reveal = useAction('revealMessage')
  const [revealed, setRevealed] = useState<Revealed | null>(null)
  const shown = revealed?.id === id ? revealed : data?.message
  const canReveal = shown?.to.includes('•') && can('revealMessage')
  const show = () => reveal.mutate(input, { onSuccess: (it) => setRevealed({ id, ...it }) })
  const pill = data && (
    <Pill
      tone={toneOf(data.message.status)}
      word={words.status[data.message.status]}
      note={data.message.status === 'submitted' && partlyAccepted(data)}
    />
  )
  return (
    <Page
      title={shown ? words.message.to(shown.to) : words.screens.message}
      about={pill ?? ''}
      parents={[['/messages', words.screens.messages]]}
      here={shortId(id)}
      actions={data ? <ActionButtons key={id} timeline={data} setDone={setDone} /> : ''}
      more={
        data && (
          <>
            {canReveal && (
              <button type="button" onClick={show} title={words.message.revealHint}>
                <Icon name="eye" />
                {words.message.reveal}
              </button>
            )}
            <ApiButton of="getTimeline" input={input} />
          </>
        )
      }
    >
      {error && !data && <ErrorNote error={error} />}
      {reveal.error && <ErrorNote error={reveal.error} />}
      {data && shown && <MessageDetails timeline={data} shown={shown} done={done} key={data.message.id} />}
      {!data && !error && <Waiting />}
    </Page>
  )
}

interface Revealed {
  id: string
  to: string
  text: string
}

interface DetailsProps {
  timeline: Timeline
  shown: Pick<Revealed, 'to' | 'text'>
  done: Done | null
}

function MessageDetails({ timeline: whole, shown, done }: DetailsProps) {
  const { message, waiting } = whole
  const { currency } = useWorkspace()
  const events = listEvents(whole, currency)
  return (
    <>
      {/* Both in the same place, so that nothing below moves. */}
      {done ? <ActionResult done={done} /> : <Next message={message} waiting={waiting} />}
      {!done && <ResentNote text={words.message.resentAs} id={message.resentAs} />}
      <ResentNote text={words.message.resentFrom} id={message.resentFrom} />
      <div class={css.columns}>
        <TimelineOf events={events} />
        <div class="stack">
          <section class="card stack">
            <h2>{words.message.summary}</h2>
            <FactsOf timeline={whole} to={shown.to} />
          </section>
          <TextOf text={shown.text} message={message} />
        </div>
      </div>
    </>
  )
}

function TimelineOf({ events }: { events: readonly EventText[] }) {
  const timeZone = useTimeZone()
  const times = events.map(({ at }) => Date.parse(at))
  const [first = 0] = times
  const last = times.at(-1) ?? first
  return (
    <section class="card stack">
      <SectionHead title={words.message.timeline} note={`${moment(new Date(first), 'day', timeZone)}, ${timeZone}`}>
        <span class="meta">{words.message.total(duration(last - first))}</span>
      </SectionHead>
      <ol class={css.timeline}>
        {events.map((event, index) => (
          <EventRow
            key={`${event.at} ${index}`}
            event={event}
            sinceBefore={index === 0 ? null : Math.max(0, (times[index] ?? 0) - (times[index - 1] ?? 0))}
          />
        ))}
      </ol>
    </section>
  )
}

/** The error or the reason to wait, and the next step. */
function Next({ message: { status, error }, waiting }: { message: Message; waiting: Timeline['waiting'] }) {
  if (waiting) {
    const until = waiting.until ? fromNow(waiting.until) : null
    return (
      <Banner tone="warn">
        <strong>{words.message.waiting[waiting.for]}</strong>{' '}
        {until && <span>{words.message.nextAttempt(until)} </span>}
        <span>{words.message.expires(fromNow(waiting.endsAt))}</span>{' '}
        {waiting.reason && <span class="quiet foreign">({waiting.reason})</span>}
      </Banner>
    )
  }
  if (isCancelled({ status, error })) return <Banner tone="idle">{words.message.isCancelled}</Banner>
  if (status === 'test') return <Banner tone="idle">{words.message.isTest}</Banner>
  if (error === '') return null
  return (
    <Banner tone={toneOf(status) === 'bad' ? 'bad' : 'warn'}>
      <strong>{capitalize(words.errors[error])}.</strong> {words.message.nextStep[error]}
    </Banner>
  )
}

/** Links a resent message and its original. */
function ResentNote({ text, id }: { text: string; id: string | null }) {
  if (id === null) return null
  return (
    <Banner tone="info">
      {text}{' '}
      <Link class="mono" href={`/messages/${id}`}>
        {shortId(id)}
      </Link>
    </Banner>
  )
}

function FactsOf({ timeline, to }: { timeline: Timeline; to: string }) {
  const { message, carriers } = timeline
  const { nameOf } = useClients()
  const { currency } = useWorkspace()
  const amount = (value: number) => money(value, currency)
  const { status, error, from, clientId, type, cost, charged, attempts, createdAt, updatedAt } = message
  const reason = reasonOf(status, error)
  return (
    <Facts
      of={[
        [words.common.status, capitalize(words.status[status]) + (reason && `, ${reason}`)],
        [
          words.messages.recipient,
          <span key="to" class="mono">
            {to}
          </span>,
        ],
        [words.messages.sender, foreign(from)],
        [
          words.common.client,
          <Link key="client" href={`/clients/${clientId}`}>
            {foreign(nameOf(clientId))}
          </Link>,
        ],
        [words.common.type, capitalize(words.types[type])],
        [words.messages.cost, cost === charged ? amount(cost) : words.message.charged(amount(cost), amount(charged))],
        // Visible to operators only; a dash where no segment has a carrier price.
        ...(carriers
          ? [
              [words.common.carrierCost, carriers.segments > 0 ? amount(carriers.cost) : '–'] as const,
              [words.common.margin, carriers.segments > 0 ? amount(carriers.margin) : '–'] as const,
            ]
          : []),
        [words.message.attempts, count(attempts)],
        [words.common.created, <Moment key="created" at={createdAt} style="whole" />],
        [words.message.updated, <Moment key="updated" at={updatedAt} style="whole" />],
        [
          words.common.id,
          <Copy key="id" text={message.id}>{`${message.id.slice(0, 8)}…${message.id.slice(-6)}`}</Copy>,
        ],
      ]}
    />
  )
}

/** Each segment as it is sent, and the characters that need more room than they seem to. */
function TextOf({ text, message: { segments: sent, encoding: sentAs } }: { text: string; message: Message }) {
  const isHidden = [HIDDEN_CODE, HIDDEN_TEXT, DELETED_TEXT].includes(text)
  const { encoding, segments } = isHidden ? { encoding: sentAs, segments: [] } : piecesOf(text)
  const nonGsm = isHidden || encoding === 'GSM7' ? [] : foreignCharacters(text, MAX_CHARACTERS)
  return (
    <section class="card stack">
      <SectionHead title={words.messages.text}>
        <span class="meta">{words.message.segments(sent, count(sent), encodingName(encoding))}</span>
      </SectionHead>
      {isHidden ? (
        <p class="quiet">{text === DELETED_TEXT ? words.message.deleted : words.message.hidden}</p>
      ) : (
        <ol class={css.segments}>
          {segments.map((pieces, index) => (
            <li key={index} value={index + 1}>
              <p class={`foreign ${css.segment}`}>
                {pieces.map(({ text: piece, isForeign }, at) =>
                  isForeign ? <mark key={at}>{piece}</mark> : <span key={at}>{piece}</span>,
                )}
              </p>
            </li>
          ))}
        </ol>
      )}
      {nonGsm.length > 0 && (
        <p class={css.forced}>
          {words.message.nonGsm}{' '}
          {nonGsm.map((character) => (
            <mark key={character} class="foreign" title={codePoints(character)}>
              {character}
            </mark>
          ))}
        </p>
      )}
    </section>
  )
}

function codePoints(character: string): string {
  return [...character].map((it) => `U+${it.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`).join(' ')
}

function EventRow({ event, sinceBefore }: { event: EventText; sinceBefore: number | null }) {
  const { at, tone, icon, text, error, details } = event
  const errors: Record<string, string> = words.errors
  return (
    <li>
      <Moment at={at} style="millisecond" />
      <span class={`${css.node} ${css[tone]}`}>
        <Icon name={icon} />
      </span>
      <span class={css.what}>
        {text}
        {error !== '' && `: ${errors[error] ?? error}`}
      </span>
      <span class={css.delta}>{sinceBefore !== null && `+${duration(sinceBefore)}`}</span>
      {details.length > 0 && <span class={`meta foreign ${css.why}`}>{details.join(' · ')}</span>}
    </li>
  )
}
