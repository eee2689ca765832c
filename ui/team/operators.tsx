// Operators and audit: who operates the service and who is asked to, their tokens, and who changed what anywhere.
import { useState } from 'preact/hooks'
import type { Operator } from '../api/calls.ts'
import { useAct, useList } from '../api/use.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { FaultNote } from '../parts/fault.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { useTabs } from '../parts/tab-links.ts'
import { Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { Audit, auditQuery, NO_FILTER } from './audit.tsx'
import { ChangeEmail } from './change-email.tsx'
import { HandOver } from './hand-over.tsx'
import css from './team.module.css'
import { OperatorTokens } from './tokens.tsx'

export function Screen() {
  const { tab, links } = useTabs('/people', [
    ['operators', words.team.operators],
    ['tokens', words.team.tokens],
    ['audit', words.team.audit],
  ])
  return (
    <Page title={words.screens.people}>
      <Tabs label={words.screens.people} of={links} />
      {tab === 'operators' && <Operators />}
      {tab === 'tokens' && <OperatorTokens />}
      {tab === 'audit' && <OfService />}
    </Page>
  )
}

function OfService() {
  const [filter, setFilter] = useUrlState(NO_FILTER)
  const list = useList('listAuditLog', { query: auditQuery(filter) })
  return <Audit {...list} filter={filter} setFilter={setFilter} />
}

function Operators() {
  const [isInviting, setInviting] = useState(false)
  const [leaving, setLeaving] = useState<Operator | null>(null)
  const [changing, setChanging] = useState<Operator | null>(null)
  const { items, fault, more } = useList('listOperators', {})
  const invitations = useList('listOperatorInvitations', {})
  const remove = useAct('removeOperator', ['listOperators'])
  const recover = useAct('recoverPerson')
  const takeBack = useAct('takeBackOperatorInvitation', ['listOperatorInvitations'])
  // Both at once: what comes later would move what is there.
  if (!fault && !(items && invitations.items)) return <p class="hidden">{words.shell.loading}</p>
  return (
    <>
      <div class="row">
        <button type="button" class="primary" onClick={() => setInviting(true)}>
          {words.team.inviteOperator}
        </button>
      </div>
      <Table
        caption={words.team.operators}
        rows={items}
        fault={fault}
        more={more}
        keyOf={(it) => it.id}
        empty={<p>{words.team.noOperators}</p>}
        columns={[
          { head: words.team.name, cell: (it) => <span class="foreign">{it.name}</span> },
          { head: words.signIn.email, cell: (it) => <span class="foreign">{it.email}</span>, wide: true },
          { head: words.team.lastSeen, cell: (it) => <Moment at={it.lastSeenAt} />, roomy: true },
          {
            head: words.team.act,
            cell: (it) => (
              <span class={css.acts}>
                <button type="button" class="link" onClick={() => recover.mutate({ params: { personId: it.id } })}>
                  {words.team.recover}
                </button>
                <button type="button" class="link" onClick={() => setChanging(it)}>
                  {words.team.changeEmail}
                </button>
                <button type="button" class="link" onClick={() => setLeaving(it)}>
                  {words.team.remove}
                </button>
              </span>
            ),
          },
        ]}
      />
      {invitations.items && invitations.items.length > 0 && (
        <>
          <h2>{words.team.invitations}</h2>
          <Table
            caption={words.team.invitations}
            rows={invitations.items}
            more={invitations.more}
            keyOf={(it) => it.id}
            columns={[
              { head: words.signIn.email, cell: (it) => <span class="foreign">{it.email ?? words.team.whoever}</span> },
              { head: words.team.until, cell: (it) => <Moment at={it.expiresAt} /> },
              {
                head: words.team.act,
                cell: (it) => (
                  <button
                    type="button"
                    class="link"
                    onClick={() => takeBack.mutate({ params: { invitationId: it.id } })}
                  >
                    {words.team.takeBack}
                  </button>
                ),
              },
            ]}
          />
        </>
      )}
      {recover.error && <FaultNote fault={recover.error} />}
      {takeBack.error && <FaultNote fault={takeBack.error} />}
      {isInviting && <Invite close={() => setInviting(false)} />}
      {recover.data && <HandOver title={words.team.recover} link={recover.data.link} close={() => recover.reset()} />}
      {changing && <ChangeEmail person={changing} close={() => setChanging(null)} />}
      {leaving && (
        <Confirm
          title={words.team.remove}
          effect={<p>{words.team.removeMeans}</p>}
          name={leaving.email}
          act={words.team.remove}
          submit={() => remove.mutate({ params: { personId: leaving.id } }, { onSuccess: () => setLeaving(null) })}
          isBusy={remove.isPending}
          fault={remove.error}
          close={() => setLeaving(null)}
        />
      )}
    </>
  )
}

function Invite({ close }: { close: () => void }) {
  const [email, setEmail] = useState('')
  const { mutate, isPending, error, data } = useAct('inviteOperator', ['listOperatorInvitations'])
  if (data) return <HandOver title={words.team.invited} link={data.link} close={close} />
  return (
    <Dialog title={words.team.inviteOperator} close={close}>
      <Form
        act={words.team.invite}
        submit={() => mutate({ body: email === '' ? {} : { email } })}
        isBusy={isPending}
        fault={error}
        fields={['email']}
        cancel={close}
      >
        <TextField
          label={words.signIn.email}
          hint={words.team.emailOptional}
          type="email"
          value={email}
          set={setEmail}
          wrong={error?.of('email')}
        />
      </Form>
    </Dialog>
  )
}
