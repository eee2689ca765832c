// Cancels, fails or resends the selected messages, after a preview: how many, for what price, and which ones are left out and why.
import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import type { ActedOnSelectedMessages } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { useWorkspaceOrNull } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { count, money } from '../parts/format.ts'
import { showToast } from '../parts/toast.ts'
import { words } from '../words/index.ts'
import css from './bulk-bar.module.css'

export type BulkAction = 'cancel' | 'fail' | 'resend'
export const CALLS = {
  cancel: 'cancelSelectedMessages',
  fail: 'failSelectedMessages',
  resend: 'resendSelectedMessages',
} as const

const RELOADS = [
  'listMessages',
  'listAllMessages',
  'getMessageHistory',
  'getServiceMessageHistory',
  'getWorkspace',
] as const

interface Props {
  action: BulkAction
  ids: string[]
  done: () => void
  close: () => void
}

export function BulkDialog({ action, ids, done, close }: Props) {
  const { data, error } = useQuery<ActedOnSelectedMessages, ApiError>({
    queryKey: [CALLS[action], 'preview', ids],
    // The prices and messages of another minute would be wrong.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: ({ signal }: { signal: AbortSignal }) => call(CALLS[action], { body: { ids, preview: true } }, signal),
  })
  return (
    <Dialog title={words.bulk.titles[action]} close={close}>
      {error && <ErrorNote error={error} />}
      <div class="stack" role="status">
        {data ? <Effects action={action} preview={data} /> : !error && <p>{words.bulk.checking(count(ids.length))}</p>}
      </div>
      {data && data.changed > 0 && <Confirmation {...{ action, ids, done, close }} changed={data.changed} />}
    </Dialog>
  )
}

function Effects({ action, preview }: { action: BulkAction; preview: ActedOnSelectedMessages }) {
  const { changed, amounts, refused } = preview
  const left = refused.reduce((sum, group) => sum + group.count, 0)
  const reasons: Record<string, string> = words.bulk.reasons
  return (
    <>
      <p>
        <strong>{words.bulk.effects[action](changed, count(changed))}</strong>
      </p>
      {changed > 0 && (
        <ul class={css.amounts}>
          {amounts.map(({ currency, charged, refunded }) => (
            <li key={currency}>
              {action === 'resend'
                ? words.bulk.cost(money(charged, currency))
                : words.bulk.refund(money(refunded, currency))}
            </li>
          ))}
        </ul>
      )}
      {changed > 0 && <p class="quiet">{words.bulk.means[action]}</p>}
      {left > 0 && (
        <div>
          <p>{words.bulk.leftOut(left, count(left))}</p>
          <ul class={css.refused}>
            {refused.map(({ reason, error, count: number }) => (
              <li key={reason}>{words.bulk.reason(count(number), reasons[reason] ?? error)}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

/** An action that cannot be undone requires the typed name of the workspace. */
function Confirmation({ action, ids, changed, done, close }: Props & { changed: number }) {
  const own = useWorkspaceOrNull()
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string | null>(null)
  const act = useAction(CALLS[action], RELOADS)
  const name = own?.name ?? words.shell.allWorkspaces
  const isDangerous = action !== 'resend'
  const submit = () => {
    if (isDangerous && typed.trim() !== name.trim()) return setError(words.parts.typedWrong)
    const onSuccess = ({ changed, refused }: ActedOnSelectedMessages) => {
      const left = refused.reduce((sum, group) => sum + group.count, 0)
      showToast({ of: { text: words.bulk.done[action](count(changed), left > 0 ? count(left) : '') }, undo: null })
      done()
    }
    act.mutate({ body: { ids, preview: false } }, { onSuccess })
  }
  return (
    <Form
      submitLabel={words.bulk.submit[action](changed, count(changed))}
      submit={submit}
      mutation={act}
      isDangerous={isDangerous}
      cancel={close}
      cancelLabel={words.bulk.keep}
      beside={<ApiButton of={CALLS[action]} input={{ body: { ids, preview: false } }} />}
    >
      {isDangerous && (
        <TextField
          label={words.parts.typeToConfirm(name)}
          value={typed}
          set={setTyped}
          error={error}
          autoComplete="off"
        />
      )}
    </Form>
  )
}
