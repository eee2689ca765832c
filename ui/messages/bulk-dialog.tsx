// Cancels, fails or resends all messages that match the filter, after their number is shown and the workspace's name is typed.
import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import type { ActedOnMessages } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { useWorkspace } from '../caller.ts'
import { Curl } from '../parts/curl.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { numberOf } from '../parts/number-of.ts'
import { words } from '../words/index.ts'
import { type BulkAction, bodyOf, CALLS, MAX_MESSAGES, MIN_MINUTES } from './bulk-actions.ts'
import { type Filter, queryOf } from './filter.ts'

const RELOADS = ['listMessages', 'countMessagesByHour', 'getWorkspace'] as const

interface Props {
  action: BulkAction
  filter: Filter
  close: () => void
}

export function BulkDialog({ action, filter, close }: Props) {
  const { id, name } = useWorkspace()
  const [minutes, setMinutes] = useState(String(MIN_MINUTES[action]))
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [done, setDone] = useState<ActedOnMessages | null>(null)
  const change = useAction(CALLS[action], RELOADS)
  const found = useCount(filter, minutes)
  const input = {
    params: { id },
    body: bodyOf(action, filter, { minutes: numberOf(minutes), after: done?.next ?? null }),
  }
  const submit = () => {
    if (typed.trim() !== name.trim()) setError(words.parts.typedWrong)
    else change.mutate(input, { onSuccess: setDone })
  }
  const isMore = done !== null && (done.left > 0 || done.next !== null)
  if (done && !isMore) return <Result action={action} done={done} close={close} />
  return (
    <Dialog title={words.messages.bulk.titles[action]} close={close}>
      <p>{words.messages.bulk.effects[action]}</p>
      <p role="status">
        {done ? words.messages.bulk.done[action](...countsOf(done)) : words.messages.bulk.found(found)}
      </p>
      <Form
        submitLabel={done ? words.common.continue : words.messages.bulk.titles[action]}
        submit={submit}
        mutation={change}
        fields={['olderThanSeconds']}
        isDangerous={action !== 'resend'}
        cancel={close}
      >
        <TextField
          label={words.messages.bulk.olderThan}
          value={minutes}
          set={setMinutes}
          error={change.error?.of('olderThanSeconds')}
          inputMode="numeric"
        />
        <TextField
          label={words.parts.typeToConfirm(name)}
          value={typed}
          set={setTyped}
          error={error}
          autoComplete="off"
        />
        <Curl of={CALLS[action]} input={input} />
      </Form>
    </Dialog>
  )
}

function Result({ action, done, close }: { action: BulkAction; done: ActedOnMessages; close: () => void }) {
  return (
    <Dialog title={words.messages.bulk.titles[action]} close={close}>
      <p role="status">{words.messages.bulk.done[action](...countsOf(done))}</p>
      <div class="row">
        <button type="button" class="primary" onClick={close}>
          {words.parts.close}
        </button>
      </div>
    </Dialog>
  )
}

function countsOf({ changed, refused, left }: ActedOnMessages): [string, string, string] {
  return [count(changed), refused > 0 ? count(refused) : '', left > 0 ? count(left) : '']
}

/** The number of matching messages, counted up to the limit of one call; null while it is not known. */
function useCount(filter: Filter, minutes: string): string | null {
  const { id } = useWorkspace()
  const age = Number(minutes)
  const { data } = useQuery({
    queryKey: ['listMessages', 'counted', id, filter.status, filter.client, minutes],
    enabled: Number.isFinite(age) && age >= 0,
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const until = age > 0 ? { 'to-date': new Date(Date.now() - age * 60_000).toISOString() } : {}
      let cursor: string | null = null
      let total = 0
      do {
        const query = { ...queryOf(filter), ...until, limit: 200, ...(cursor ? { cursor } : {}) }
        const page: { items: unknown[]; next: string | null } = await call(
          'listMessages',
          { params: { id }, query },
          signal,
        )
        total += page.items.length
        cursor = page.next
      } while (cursor !== null && total <= MAX_MESSAGES)
      return total > MAX_MESSAGES ? `${count(MAX_MESSAGES)}+` : count(total)
    },
  })
  return data ?? null
}
