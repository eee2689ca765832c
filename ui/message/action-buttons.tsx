// Cancel, fail and resend one message: the effect is shown before, the result after.
import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Message, Timeline } from '../api/calls.ts'
import type { Fault } from '../api/fault.ts'
import { keyOf, useAct } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { useMay } from '../caller.ts'
import { Curl } from '../parts/curl.tsx'
import { money, shortId } from '../parts/format.ts'
import { Sure } from '../parts/sure.tsx'
import { words } from '../words/index.ts'
import { type Effect, effectOf, type MessageAction } from './actions.ts'
import css from './message.module.css'

const CALLS = { cancel: 'cancelMessage', fail: 'failMessage', resend: 'resendMessage' } as const
const TOUCHES = ['getTimeline', 'listMessages', 'getWorkspace'] as const

export interface Done {
  effect: Effect
  /** The message after the action; the new one where it was resent. */
  message: Message
  /** The refund, or the charge. */
  amount: number
}

interface Props {
  timeline: Timeline
  setDone: (done: Done) => void
}

export function ActionButtons({ timeline, setDone }: Props) {
  const may = useMay()
  const [asked, setAsked] = useState<MessageAction | null>(null)
  const offered = (['cancel', 'fail', 'resend'] as const).filter(
    (action) => may(CALLS[action]) && effectOf(action, timeline),
  )
  return (
    <>
      {offered.map((action) => (
        <button key={action} type="button" class={action === 'resend' ? '' : 'danger'} onClick={() => setAsked(action)}>
          {words.message.actions[action]}
        </button>
      ))}
      {asked && (
        <ActionDialog key={asked} action={asked} timeline={timeline} setDone={setDone} close={() => setAsked(null)} />
      )}
    </>
  )
}

/** Keeps its effect while it is open, also if the message moves on: the service rejects the action then. */
function ActionDialog({ action, timeline, setDone, close }: Props & { action: MessageAction; close: () => void }) {
  const queries = useQueryClient()
  const [effect] = useState(() => effectOf(action, timeline))
  const change = useAct(CALLS[action], TOUCHES)
  const { id, charged, cost } = timeline.message
  const input = { params: { id } }
  const submit = () =>
    change.mutate(input, {
      onSuccess: (message) => {
        if (effect) setDone({ effect, message, amount: action === 'resend' ? message.charged : charged })
        close()
      },
      onError: () => inBackground(queries.invalidateQueries({ queryKey: keyOf('getTimeline') })),
    })
  if (!effect) return null
  return (
    <Sure
      title={words.message.actionTitles[action]}
      act={words.message.actionTitles[action]}
      submit={submit}
      isBusy={change.isPending}
      fault={change.error}
      isDangerous={action !== 'resend'}
      close={close}
    >
      <p>{words.message.effects[effect](money(action === 'resend' ? cost : charged))}</p>
      {change.error && <Race fault={change.error} />}
      <Curl of={CALLS[action]} input={input} />
    </Sure>
  )
}

function Race({ fault }: { fault: Fault }) {
  return fault.code === 'conflict' ? <p>{words.message.tooLate}</p> : null
}

export function ActionResult({ done: { effect, message, amount } }: { done: Done }) {
  const isResent = effect === 'resent' || effect === 'resentMaybeSent'
  return (
    <p class={css.done} role="status">
      {words.message.done[effect](money(amount))}{' '}
      {isResent && <Link href={`/messages/${message.id}`}>{shortId(message.id)}</Link>}
    </p>
  )
}
