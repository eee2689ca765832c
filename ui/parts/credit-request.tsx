// The credit request of a workspace: what was requested or declined, and the dialogs that request, withdraw and decline.
import { useState } from 'preact/hooks'
import type { Workspace } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { useCan } from '../caller.ts'
import { words } from '../words/index.ts'
import { Banner } from './banner.tsx'
import { Confirm } from './confirm.tsx'
import { CreditDialog } from './credit-dialog.tsx'
import { Dialog } from './dialog.tsx'
import { Form, TextField } from './field.tsx'
import { money } from './format.ts'
import { Moment } from './moment.tsx'

const RELOADS = ['getWorkspace', 'listWorkspaces', 'getNow'] as const
const MAX_REASON_LENGTH = 500

/** Nothing after a request was granted or withdrawn. */
export function CreditRequestBanner({ workspace }: { workspace: Workspace }) {
  const { creditRequest: request, currency } = workspace
  const can = useCan()
  const [open, setOpen] = useState<'withdraw' | 'decline' | null>(null)
  if (request?.status !== 'open' && request?.status !== 'declined') return null
  const isOpen = request.status === 'open'
  const amount = money(request.amount, currency)
  const about = isOpen ? request.note : request.reason
  return (
    <Banner tone={isOpen ? 'info' : 'warn'}>
      <strong>{isOpen ? words.usage.requested(amount) : words.usage.declined(amount)}</strong>{' '}
      <Moment at={request.decidedAt ?? request.requestedAt} style="row" />
      {about !== null && <p class="foreign">{about}</p>}
      {isOpen && (
        <p>
          {can('declineCreditRequest') ? (
            <button type="button" onClick={() => setOpen('decline')}>
              {words.usage.decline}
            </button>
          ) : (
            can('withdrawCreditRequest') && (
              <button type="button" onClick={() => setOpen('withdraw')}>
                {words.usage.withdraw}
              </button>
            )
          )}
        </p>
      )}
      {open === 'decline' && <DeclineDialog workspace={workspace} close={() => setOpen(null)} />}
      {open === 'withdraw' && <WithdrawDialog workspace={workspace} close={() => setOpen(null)} />}
    </Banner>
  )
}

export function RequestDialog({ workspace, close }: { workspace: Workspace; close: () => void }) {
  const { id } = workspace
  const [typed, setTyped] = useState({ amount: '', note: '' })
  const act = useAction('requestCredit', RELOADS)
  return (
    <CreditDialog
      workspace={workspace}
      title={words.usage.request}
      labelOf={words.usage.requestFor}
      noteHint={words.usage.requestHint}
      typed={typed}
      set={setTyped}
      submit={(body) => act.mutate({ params: { id }, body }, { onSuccess: close })}
      mutation={act}
      close={close}
    />
  )
}

function DeclineDialog({ workspace: { id }, close }: { workspace: Workspace; close: () => void }) {
  const [reason, setReason] = useState('')
  const act = useAction('declineCreditRequest', RELOADS)
  const submit = () => act.mutate({ params: { id }, body: { reason: reason.trim() || null } }, { onSuccess: close })
  return (
    <Dialog title={words.usage.decline} close={close}>
      <p class="quiet">{words.usage.declineEffect}</p>
      <Form submitLabel={words.usage.decline} submit={submit} mutation={act} fields={['reason']} cancel={close}>
        <TextField
          label={words.usage.reason}
          value={reason}
          set={setReason}
          error={act.error?.of('reason')}
          maxLength={MAX_REASON_LENGTH}
          autoComplete="off"
        />
      </Form>
    </Dialog>
  )
}

function WithdrawDialog({ workspace: { id }, close }: { workspace: Workspace; close: () => void }) {
  const act = useAction('withdrawCreditRequest', RELOADS)
  return (
    <Confirm
      title={words.usage.withdraw}
      effect={words.usage.withdrawEffect}
      isDangerous={false}
      submit={() => act.mutate({ params: { id } }, { onSuccess: close })}
      mutation={act}
      close={close}
    />
  )
}
