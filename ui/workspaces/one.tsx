// One workspace, for operators: its settings, its credit, and a link to its own screens.
import { useState } from 'preact/hooks'
import { Link, useParams } from 'wouter-preact'
import type { Workspace } from '../api/calls.ts'
import { useAct, useCall } from '../api/use.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Copy } from '../parts/copy.tsx'
import { Curl } from '../parts/curl.tsx'
import { Facts } from '../parts/facts.tsx'
import { FaultNote } from '../parts/fault.tsx'
import { Form } from '../parts/field.tsx'
import { money } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { TopUpDialog } from '../parts/top-up-dialog.tsx'
import { words } from '../words/index.ts'
import { FIELDS, Fields } from './fields.tsx'
import { changeOf, STATUS_TONES, settingsOf } from './settings.ts'
import css from './workspaces.module.css'

const TOUCHES = ['getWorkspace', 'listWorkspaces', 'getNow'] as const

export function Screen() {
  const { id = '' } = useParams<{ id: string }>()
  const { data, error } = useCall('getWorkspace', { params: { id } })
  const workspace = data?.id === id ? data : undefined
  return (
    <Page
      title={words.screens.workspaces}
      about={workspace?.name}
      actions={
        <>
          {workspace && <Switch workspace={workspace} />}
          <Curl of="getWorkspace" input={{ params: { id } }} />
          <Link class="button primary" href={`~/console/w/${id}`}>
            {words.workspaces.open}
          </Link>
        </>
      }
    >
      {error && !workspace && <FaultNote fault={error} />}
      {workspace && (
        <div class={css.one}>
          <section class="card stack">
            <h2>{words.workspaces.settings}</h2>
            <Change key={workspace.updatedAt} workspace={workspace} />
          </section>
          <section class="card stack">
            <h2>{words.workspaces.credit}</h2>
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
        [
          words.workspaces.status,
          <Status key="s" tone={STATUS_TONES[status]}>
            {words.workspaces.statuses[status]}
          </Status>,
        ],
        [words.workspaces.balance, <strong key="b">{money(balance, currency)}</strong>],
        [words.workspaces.period, <Moment key="p" at={periodEndsAt} style="whole" />],
        [words.workspaces.country, `${country}, ${timeZone}`],
        [words.workspaces.created, <Moment key="c" at={createdAt} style="day" />],
        [words.messages.id, <Copy key="id" text={id} />],
      ]}
    />
  )
}

/** A suspension is confirmed; an activation is not. */
function Switch({ workspace: { id, name, status } }: { workspace: Workspace }) {
  const [isAsking, setAsking] = useState(false)
  const change = useAct('changeWorkspace', TOUCHES)
  const set = (to: Workspace['status']) =>
    change.mutate({ params: { id }, body: { status: to } }, { onSuccess: () => setAsking(false) })
  return (
    <>
      {status === 'active' ? (
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          {words.workspaces.suspend}
        </button>
      ) : (
        <button type="button" onClick={() => set('active')} aria-disabled={change.isPending}>
          {words.workspaces.activate}
        </button>
      )}
      {!isAsking && change.error && <FaultNote fault={change.error} />}
      {isAsking && (
        <Confirm
          title={words.workspaces.suspend}
          effect={words.workspaces.suspendEffect}
          name={name}
          act={words.workspaces.suspend}
          submit={() => set('suspended')}
          isBusy={change.isPending}
          fault={change.error}
          close={() => setAsking(false)}
        />
      )}
    </>
  )
}

function Change({ workspace }: { workspace: Workspace }) {
  const [it, set] = useState(() => settingsOf(workspace))
  const change = useAct('changeWorkspace', TOUCHES)
  return (
    <Form
      act={words.workspaces.save}
      submit={() => change.mutate({ params: { id: workspace.id }, body: changeOf(it) })}
      isBusy={change.isPending}
      fault={change.error}
      fields={FIELDS}
    >
      <Fields it={it} set={set} fault={change.error} />
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
