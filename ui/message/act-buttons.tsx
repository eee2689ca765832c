// Cancel, fail and resend one message: each says first what will happen, and then what has.
import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Message, Timeline } from '../api/calls.ts'
import type { Fault } from '../api/fault.ts'
import { keyOf, useAct } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { Curl } from '../parts/curl.tsx'
import { money, shortId } from '../parts/format.ts'
import { Sure } from '../parts/sure.tsx'
import { useMay } from '../who.ts'
import { words } from '../words/index.ts'
import { type Act, type Effect, effectOf } from './acts.ts'
import css from './message.module.css'

const CALLS = { cancel: 'cancelMessage', fail: 'failMessage', resend: 'resendMessage' } as const
const TOUCHES = ['getTimeline', 'listMessages', 'getWorkspace'] as const

export interface Done {
  effect: Effect
  /** As it is now; of one that was sent anew, the other message. */
  message: Message
  /** What was refunded, or charged. */
  amount: number
}

interface Props {
  timeline: Timeline
  tell: (done: Done) => void
}

export function ActButtons({ timeline, tell }: Props) {
  const may = useMay()
  const [asked, ask] = useState<Act | null>(null)
  const offered = (['cancel', 'fail', 'resend'] as const).filter((act) => may(CALLS[act]) && effectOf(act, timeline))
  return (
    <>
      {offered.map((act) => (
        <button key={act} type="button" class={act === 'resend' ? '' : 'danger'} onClick={() => ask(act)}>
          {words.message.acts[act]}
        </button>
      ))}
      {asked && <Asked key={asked} act={asked} timeline={timeline} tell={tell} close={() => ask(null)} />}
    </>
  )
}

/** What was asked for stays what it was, also if the message goes on meanwhile: the service says so then. */
function Asked({ act, timeline, tell, close }: Props & { act: Act; close: () => void }) {
  const queries = useQueryClient()
  const [effect] = useState(() => effectOf(act, timeline))
  const change = useAct(CALLS[act], TOUCHES)
  const { id, charged, cost } = timeline.message
  const input = { params: { id } }
  const submit = () =>
    change.mutate(input, {
      onSuccess: (message) => {
        if (effect) tell({ effect, message, amount: act === 'resend' ? message.charged : charged })
        close()
      },
      onError: () => inBackground(queries.invalidateQueries({ queryKey: keyOf('getTimeline') })),
    })
  if (!effect) return null
  return (
    <Sure
      title={words.message.actsDo[act]}
      act={words.message.actsDo[act]}
      submit={submit}
      isBusy={change.isPending}
      fault={change.error}
      isDangerous={act !== 'resend'}
      close={close}
    >
      <p>{words.message.effects[effect](money(act === 'resend' ? cost : charged))}</p>
      {change.error && <Race fault={change.error} />}
      <Curl of={CALLS[act]} input={input} />
    </Sure>
  )
}

function Race({ fault }: { fault: Fault }) {
  return fault.code === 'conflict' ? <p>{words.message.tooLate}</p> : null
}

export function Outcome({ done: { effect, message, amount } }: { done: Done }) {
  const isAnew = effect === 'anew' || effect === 'anewMaybeThere'
  return (
    <p class={css.done} role="status">
      {words.message.done[effect](money(amount))}{' '}
      {isAnew && <Link href={`/messages/${message.id}`}>{shortId(message.id)}</Link>}
    </p>
  )
}
