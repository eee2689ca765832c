// One message: its text and segments, its timeline, and the next step where something went wrong.
import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Link, useParams } from 'wouter-preact'
import { HIDDEN_CODE, HIDDEN_TEXT } from '../../src/domain/people/masking.ts'
import { addressOf } from '../api/call.ts'
import type { Message, Timeline } from '../api/calls.ts'
import { keyOf, useAction, useCall } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { useCan, useWorkspace } from '../caller.ts'
import { useClients } from '../parts/clients.ts'
import { Copy } from '../parts/copy.tsx'
import { Curl } from '../parts/curl.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Facts } from '../parts/facts.tsx'
import { capitalize, count, encodingName, fromNow, money, shortId } from '../parts/format.ts'
import { useEvents } from '../parts/live.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Dot, Status, toneOf } from '../parts/status.tsx'
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
  const { data, error } = useCall('getTimeline', input)
  const reload = () => inBackground(queries.invalidateQueries({ queryKey: keyOf('getTimeline') }))
  const receive = ({ items, more }: { items: Message[]; more: number }) => {
    if (more > 0 || items.some((it) => it.id === id)) reload()
  }
  const where = can('watchMessages') ? addressOf('watchMessages', { params: { id: workspace.id } }) : null
  useEvents(where, { messages: receive }, reload)
  return (
    <Page
      title={words.screens.message}
      about={shortId(id)}
      actions={
        <>
          {data && <ActionButtons key={id} timeline={data} setDone={setDone} />}
          <Link href="/messages">{words.message.toAll}</Link>
          <Curl of="getTimeline" input={input} />
        </>
      }
    >
      {error && !data && <ErrorNote error={error} />}
      {data && <MessageDetails timeline={data} done={done} key={data.message.id} />}
      {!data && !error && <Waiting />}
    </Page>
  )
}

function MessageDetails({ timeline: whole, done }: { timeline: Timeline; done: Done | null }) {
  const { message, waiting, carriers } = whole
  const { currency, timeZone } = useWorkspace()
  const reveal = useAction('revealMessage')
  const [shown, setShown] = useState<{ to: string; text: string } | null>(null)
  const can = useCan()
  const { to, text } = shown ?? message
  const isMasked = to.includes('•') && can('revealMessage')
  const show = () => reveal.mutate({ params: { id: message.id } }, { onSuccess: setShown })
  return (
    <>
      {/* Both in the same place, so that nothing below moves. */}
      {done ? <ActionResult done={done} /> : <Next message={message} waiting={waiting} />}
      <div class={css.columns}>
        <div class="stack">
          <section class="card stack" aria-label={words.message.facts}>
            <FactsOf timeline={whole} to={to} show={isMasked ? show : null} carriers={carriers} />
            {reveal.error && <ErrorNote error={reveal.error} />}
          </section>
          <TextOf text={text} message={message} />
        </div>
        <section class="card stack">
          <h2>
            {words.message.timeline} <span class={`quiet ${css.light}`}>{timeZone}</span>
          </h2>
          <ol class={css.timeline}>
            {listEvents(whole, currency).map((it, index) => (
              <EventRow key={`${it.at} ${index}`} it={it} />
            ))}
          </ol>
        </section>
      </div>
    </>
  )
}

/** The error or the reason to wait, and the next step. */
function Next({ message: { status, error }, waiting }: { message: Message; waiting: Timeline['waiting'] }) {
  if (waiting) {
    const until = waiting.until ? fromNow(waiting.until) : null
    return (
      <p class={css.next} role="note">
        <strong>{words.message.waiting[waiting.for]}</strong>{' '}
        {until && <span>{words.message.nextAttempt(until)} </span>}
        <span class="quiet">{words.message.expires(fromNow(waiting.endsAt))}</span>{' '}
        {waiting.reason && <span class="quiet foreign">({waiting.reason})</span>}
      </p>
    )
  }
  if (isCancelled({ status, error })) return <p class={css.next}>{words.message.isCancelled}</p>
  if (status === 'test') return <p class={css.next}>{words.message.isTest}</p>
  if (error === '') return null
  return (
    <p class={css.next} role="note">
      <strong>{capitalize(words.errors[error])}.</strong> {words.message.nextStep[error]}
    </p>
  )
}

interface FactsProps {
  timeline: Timeline
  to: string
  show: (() => void) | null
  /** Visible to operators only. */
  carriers: Timeline['carriers']
}

function FactsOf({ timeline, to, show, carriers }: FactsProps) {
  const { message } = timeline
  const { nameOf } = useClients()
  const { currency } = useWorkspace()
  const amount = (value: number) => money(value, currency)
  const { status, from, clientId, type, cost, charged, attempts, createdAt, updatedAt } = message
  return (
    <Facts
      of={[
        [
          words.common.status,
          <Status key="status" tone={toneOf(status)}>
            {words.status[status]}
            {status === 'submitted' && `: ${partlyAccepted(timeline)}`}
          </Status>,
        ],
        [
          words.messages.recipient,
          <span key="to" class="row">
            <span class="mono">{to}</span>
            {show && (
              <button type="button" onClick={show} title={words.message.revealHint}>
                {words.message.reveal}
              </button>
            )}
          </span>,
        ],
        [words.messages.sender, foreign(from)],
        [words.common.client, foreign(nameOf(clientId))],
        [words.common.type, words.types[type]],
        [words.messages.cost, cost === charged ? amount(cost) : words.message.charged(amount(cost), amount(charged))],
        ...(carriers && carriers.segments > 0
          ? [
              [words.usage.carrierCost, amount(carriers.cost)] as const,
              [words.usage.margin, amount(carriers.margin)] as const,
            ]
          : []),
        [words.message.attempts, count(attempts)],
        [words.common.created, <Moment key="created" at={createdAt} style="whole" />],
        [words.message.updated, <Moment key="updated" at={updatedAt} style="whole" />],
        [words.common.id, <Copy key="id" text={message.id} />],
      ]}
    />
  )
}

/** Each segment as it is sent, and the characters that need more room than they seem to. */
function TextOf({ text, message: { segments: sent, encoding: sentAs } }: { text: string; message: Message }) {
  const isHidden = text === HIDDEN_CODE || text === HIDDEN_TEXT
  const { encoding, segments } = isHidden ? { encoding: sentAs, segments: [] } : piecesOf(text)
  const nonGsm = isHidden || encoding === 'GSM7' ? [] : foreignCharacters(text, MAX_CHARACTERS)
  return (
    <section class="card stack">
      <h2>{words.messages.text}</h2>
      <p class="quiet">{words.message.segments(sent, count(sent), encodingName(encoding))}</p>
      {isHidden ? (
        <p class="quiet">{words.message.hidden}</p>
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

function EventRow({ it: { at, tone, text, error, foreign: raw } }: { it: EventText }) {
  const errors: Record<string, string> = words.errors
  return (
    <li>
      <Moment at={at} />
      <Dot tone={tone} />
      <span>
        {text}
        {error !== '' && <span>: {errors[error] ?? error}</span>}{' '}
        {raw !== '' && <span class="quiet foreign">{raw}</span>}
      </span>
    </li>
  )
}
