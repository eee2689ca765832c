// Cancels, fails or resends all that the list is narrowed to: how many that are is told first, and the name wants to be typed.
import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import type { ActedOnMessages } from '../api/calls.ts'
import { useAct } from '../api/use.ts'
import { Curl } from '../parts/curl.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { numberOf } from '../parts/number-of.ts'
import { useWorkspace } from '../who.ts'
import { words } from '../words/index.ts'
import { type Filter, queryOf } from './filter.ts'
import { type Act, bodyOf, CALLS, LEAST_MINUTES, MOST } from './many.ts'

const TOUCHES = ['listMessages', 'countMessagesByHour', 'getWorkspace'] as const

interface Props {
  act: Act
  filter: Filter
  close: () => void
}

export function ManyDialog({ act, filter, close }: Props) {
  const { id, name } = useWorkspace()
  const [minutes, setMinutes] = useState(String(LEAST_MINUTES[act]))
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const [done, setDone] = useState<ActedOnMessages | null>(null)
  const change = useAct(CALLS[act], TOUCHES)
  const found = useCount(filter, minutes)
  const input = {
    params: { id },
    body: bodyOf(act, filter, { minutes: numberOf(minutes), after: done?.next ?? null }),
  }
  const submit = () => {
    if (typed.trim() !== name.trim()) setWrong(words.parts.typeTheName)
    else change.mutate(input, { onSuccess: setDone })
  }
  const isMore = done !== null && (done.left > 0 || done.next !== null)
  if (done && !isMore) return <Told act={act} done={done} close={close} />
  return (
    <Dialog title={words.messages.many.acts[act]} close={close}>
      <p>{words.messages.many.effects[act]}</p>
      <p role="status">{done ? words.messages.many.done[act](...written(done)) : words.messages.many.found(found)}</p>
      <Form
        act={done ? words.messages.many.goOn : words.messages.many.acts[act]}
        submit={submit}
        isBusy={change.isPending}
        fault={change.error}
        fields={['olderThanSeconds']}
        isDangerous={act !== 'resend'}
        cancel={close}
        cancelSays={words.parts.leave}
      >
        <TextField
          label={words.messages.many.olderThan}
          value={minutes}
          set={setMinutes}
          wrong={change.error?.of('olderThanSeconds')}
          inputMode="numeric"
        />
        <TextField
          label={words.parts.typeTheName}
          hint={<code class="foreign">{name}</code>}
          value={typed}
          set={setTyped}
          wrong={wrong}
          autoComplete="off"
        />
        <Curl of={CALLS[act]} input={input} />
      </Form>
    </Dialog>
  )
}

function Told({ act, done, close }: { act: Act; done: ActedOnMessages; close: () => void }) {
  return (
    <Dialog title={words.messages.many.acts[act]} close={close}>
      <p role="status">{words.messages.many.done[act](...written(done))}</p>
      <div class="row">
        <button type="button" class="primary" onClick={close}>
          {words.parts.close}
        </button>
      </div>
    </Dialog>
  )
}

function written({ changed, refused, left }: ActedOnMessages): [string, string, string] {
  return [count(changed), refused > 0 ? count(refused) : '', left > 0 ? count(left) : '']
}

/** How many there are now, counted no further than one call goes; null while that is not known. */
function useCount(filter: Filter, minutes: string): string | null {
  const { id } = useWorkspace()
  const age = Number(minutes)
  const { data } = useQuery({
    queryKey: ['listMessages', 'counted', id, filter.status, filter.client, minutes],
    enabled: Number.isFinite(age) && age >= 0,
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const until = age > 0 ? { 'to-date': new Date(Date.now() - age * 60_000).toISOString() } : {}
      let cursor: string | null = null
      let some = 0
      do {
        const query = { ...queryOf(filter), ...until, limit: 200, ...(cursor ? { cursor } : {}) }
        const page: { items: unknown[]; next: string | null } = await call(
          'listMessages',
          { params: { id }, query },
          signal,
        )
        some += page.items.length
        cursor = page.next
      } while (cursor !== null && some <= MOST)
      return some > MOST ? `${count(MOST)}+` : count(some)
    },
  })
  return data ?? null
}
