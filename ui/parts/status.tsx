// A status as a word and a colour.
import { words } from '../words/index.ts'
import css from './status.module.css'

export type Tone = 'good' | 'neutral' | 'warning' | 'bad'

export function Status({ tone, children }: { tone: Tone; children: preact.ComponentChildren }) {
  return (
    <span class={css.status}>
      <Dot tone={tone} />
      {children}
    </span>
  )
}

export function Dot({ tone }: { tone: Tone }) {
  return <span class={`${css.dot} ${css[tone]}`} aria-hidden="true" />
}

type MessageStatus = keyof typeof words.status

const TONES: Record<MessageStatus, Tone> = {
  queued: 'neutral',
  submitting: 'neutral',
  submitted: 'neutral',
  sent: 'neutral',
  delivered: 'good',
  undelivered: 'warning',
  failed: 'bad',
  rejected: 'bad',
  test: 'neutral',
}

export function toneOf(status: string): Tone {
  return TONES[status as MessageStatus] ?? 'neutral'
}

/** Errors that only repeat the status. */
const REPEATS: Partial<Record<MessageStatus, string>> = { rejected: 'carrier_rejected', undelivered: 'delivery_failed' }

/** The status of a message, with its error. */
export function MessageState({ status, error }: { status: MessageStatus; error: string }) {
  const errors: Record<string, string> = words.errors
  // A queued message has not failed: its error is the reason for the retry.
  const why = status === 'queued' ? words.deferred : (errors[error] ?? error)
  // D59: only a cancelled message fails without an error.
  const note = status === 'failed' && error === '' ? words.cancelled : error !== '' && REPEATS[status] !== error && why
  return (
    <Status tone={toneOf(status)}>
      {words.status[status]} {note && <span class="quiet">{note}</span>}
    </Status>
  )
}
