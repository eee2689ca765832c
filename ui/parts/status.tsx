// A status as a word, a colour and a shape: a pill for one word, a dot before a sentence.
import type { ComponentChildren } from 'preact'
import { words } from '../words/index.ts'
import { capitalize } from './format.ts'
import css from './status.module.css'

export type Tone = 'good' | 'info' | 'warn' | 'bad' | 'idle'

interface PillProps {
  tone: Tone
  word: string
  /** The reason, beside the pill. */
  note?: ComponentChildren
}

export function Pill({ tone, word, note }: PillProps) {
  const pill = <span class={`${css.pill} ${css[tone]}`}>{capitalize(word)}</span>
  if (!note) return pill
  return (
    <span class={css.noted}>
      {pill} <span class="quiet foreign">{note}</span>
    </span>
  )
}

export function Status({ tone, children }: { tone: Tone; children: ComponentChildren }) {
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
  queued: 'info',
  submitting: 'info',
  submitted: 'info',
  sent: 'info',
  delivered: 'good',
  undelivered: 'warn',
  failed: 'bad',
  rejected: 'bad',
  test: 'idle',
}

export function toneOf(status: string): Tone {
  return TONES[status as MessageStatus] ?? 'idle'
}

/** Errors that only repeat the status. */
const REPEATS: Partial<Record<MessageStatus, string>> = { rejected: 'carrier_rejected', undelivered: 'delivery_failed' }

/** The reason for the status of a message; empty where the status says it. */
export function reasonOf(status: MessageStatus, error: string): string {
  // D59: only a cancelled message fails without an error.
  if (error === '') return status === 'failed' ? words.cancelled : ''
  // A queued message has not failed: its error is the reason for the retry.
  if (status === 'queued') return words.deferred
  const errors: Record<string, string> = words.errors
  return REPEATS[status] === error ? '' : (errors[error] ?? error)
}

/** The status of a message, with its reason. */
export function MessageState({ status, error }: { status: MessageStatus; error: string }) {
  return <Pill tone={toneOf(status)} word={words.status[status]} note={reasonOf(status, error)} />
}
