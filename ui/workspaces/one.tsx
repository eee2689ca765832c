// One workspace, for operators: its settings, its credit, and a link to its own screens.
import { useState } from 'preact/hooks'
import { Link, useParams } from 'wouter-preact'
import type { Workspace } from '../api/calls.ts'
import { useAction, useCall } from '../api/use.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Copy } from '../parts/copy.tsx'
import { CreditRequestBanner } from '../parts/credit-request.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Facts } from '../parts/facts.tsx'
import { Form } from '../parts/field.tsx'
import { money, shortId } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/status.tsx'
import { TopUpDialog } from '../parts/top-up-dialog.tsx'
import { words } from '../words/index.ts'
import { FIELDS, Fields } from './fields.tsx'
import { changeOf, STATUS_TONES, settingsOf } from './settings.ts'
import css from './workspaces.module.css'

const RELOADS = ['getWorkspace', 'listWorkspaces', 'getNow'] as const

export function Screen() {
  const { id = '' } = useParams<{ id: string }>()
  const { data, error } = useCall('getWorkspace', { params: { id } })
  const workspace = data?.id === id ? data : undefined
  return (
    <Page
      title={workspace?.name ?? words.shell.workspace}
      parents={[['/workspaces', words.screens.workspaces]]}
      here={shortId(id)}
      hasTimes
      more={
        <>
          {workspace ? <SuspendButton workspace={workspace} /> : <WaitingButton />}
          <ApiButton of="getWorkspace" input={{ params: { id } }} />
        </>
      }
      actions={
        <Link class="button primary" href={`~/console/w/${id}`}>
          {words.workspaces.open}
        </Link>
      }
    >
      {error && !workspace && <ErrorNote error={error} />}
      {workspace && <CreditRequestBanner workspace={workspace} />}
      {workspace && (
        <div class={css.one}>
          <section class="card stack">
            <h2>{words.common.settings}</h2>
            <WorkspaceForm key={workspace.updatedAt} workspace={workspace} />
          </section>
          <section class="card stack">
            <h2>{words.message.summary}</h2>
            <About workspace={workspace} />
            <TopUp workspace={workspace} />
          </section>
        </div>
      )}
    </Page>
  )
}

function About({ workspace }: { workspace: Workspace }) {
  const { id, status, balance, currency, country, timeZone, periodEndsAt, createdAt } = workspace
  return (
    <Facts
      of={[
        [words.common.status, <Pill key="s" tone={STATUS_TONES[status]} word={words.workspaces.statuses[status]} />],
        [words.usage.balance, <strong key="b">{money(balance, currency)}</strong>],
        [words.workspaces.period, <Moment key="p" at={periodEndsAt} style="whole" timeZone={timeZone} />],
        [words.workspaces.country, country],
        [words.workspaces.timeZone, timeZone],
        [words.common.created, <Moment key="c" at={createdAt} style="day" />],
        [words.common.id, <Copy key="id" text={id} />],
      ]}
    />
  )
}

/** Takes the space of the button until the status is known. */
function WaitingButton() {
  return (
    <button type="button" disabled>
      {words.workspaces.suspend}
    </button>
  )
}

/** A suspension is confirmed; an activation is not. */
function SuspendButton({ workspace: { id, name, status } }: { workspace: Workspace }) {
  const [isSuspending, setSuspending] = useState(false)
  const change = useAction('changeWorkspace', RELOADS)
  const set = (to: Workspace['status']) =>
    change.mutate({ params: { id }, body: { status: to } }, { onSuccess: () => setSuspending(false) })
  return (
    <>
      {status === 'active' ? (
        <button type="button" class="danger" onClick={() => setSuspending(true)}>
          {words.workspaces.suspend}
        </button>
      ) : (
        <button type="button" onClick={() => set('active')} aria-disabled={change.isPending}>
          {words.workspaces.activate}
        </button>
      )}
      {!isSuspending && change.error && <ErrorNote error={change.error} />}
      {isSuspending && (
        <Confirm
          title={words.workspaces.suspend}
          effect={words.workspaces.suspendEffect}
          name={name}
          submit={() => set('suspended')}
          mutation={change}
          close={() => setSuspending(false)}
        />
      )}
    </>
  )
}

function WorkspaceForm({ workspace }: { workspace: Workspace }) {
  const [it, set] = useState(() => settingsOf(workspace))
  const change = useAction('changeWorkspace', RELOADS)
  return (
    <Form
      submitLabel={words.common.save}
      submit={() => change.mutate({ params: { id: workspace.id }, body: changeOf(it) })}
      mutation={change}
      fields={FIELDS}
    >
      <Fields it={it} set={set} error={change.error} />
    </Form>
  )
}

function TopUp({ workspace }: { workspace: Workspace }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <p>
      <button type="button" class="primary" onClick={() => setOpen(true)}>
        {words.usage.topUp}
      </button>
      {isOpen && <TopUpDialog workspace={workspace} close={() => setOpen(false)} />}
    </p>
  )
}
