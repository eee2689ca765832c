// Cancel, fail and resend one message: the effect is shown before, the result after.
import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Message, Timeline } from '../api/calls.ts'
import { keyOf, useAction } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { useCan, useWorkspace } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Banner } from '../parts/banner.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { money, shortId } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { words } from '../words/index.ts'
import { type Effect, effectOf, type MessageAction } from './actions.ts'

const CALLS = { cancel: 'cancelMessage', fail: 'failMessage', resend: 'resendMessage' } as const
const RELOADS = ['getTimeline', 'listMessages', 'getWorkspace'] as const

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
  const can = useCan()
  const [open, setOpen] = useState<MessageAction | null>(null)
  const offered = (['cancel', 'fail', 'resend'] as const).filter(
    (action) => can(CALLS[action]) && effectOf(action, timeline),
  )
  return (
    <>
      {offered.map((action) => (
        <button
          key={action}
          type="button"
          class={action === 'resend' ? 'primary' : 'danger'}
          onClick={() => setOpen(action)}
        >
          <Icon name={action === 'resend' ? 'retry' : 'close'} />
          {words.message.actions[action]}
        </button>
      ))}
      {open && (
        <ActionDialog key={open} action={open} timeline={timeline} setDone={setDone} close={() => setOpen(null)} />
      )}
    </>
  )
}

/** Keeps its effect while it is open, also if the message moves on: the service rejects the action then. */
function ActionDialog({ action, timeline, setDone, close }: Props & { action: MessageAction; close: () => void }) {
  const queries = useQueryClient()
  const { currency } = useWorkspace()
  const [effect] = useState(() => effectOf(action, timeline))
  const change = useAction(CALLS[action], RELOADS)
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
    <Confirm
      title={words.message.actionTitles[action]}
      effect={
        <div class="stack">
          <p>{words.message.effects[effect](money(action === 'resend' ? cost : charged, currency))}</p>
          {change.error?.code === 'conflict' && <p>{words.message.tooLate}</p>}
        </div>
      }
      submit={submit}
      mutation={change}
      isDangerous={action !== 'resend'}
      beside={<ApiButton of={CALLS[action]} input={input} />}
      cancelLabel={action === 'cancel' ? words.message.keep : undefined}
      close={close}
    />
  )
}

export function ActionResult({ done: { effect, message, amount } }: { done: Done }) {
  const { currency } = useWorkspace()
  const isResent = effect === 'resent' || effect === 'resentMaybeSent'
  return (
    <Banner tone="good" isAnnounced>
      {words.message.done[effect](money(amount, currency))}{' '}
      {isResent && <Link href={`/messages/${message.id}`}>{shortId(message.id)}</Link>}
    </Banner>
  )
}
