// Who belongs to the workspace, in which role, and who is asked to.
import { useState } from 'preact/hooks'
import type { Invitation, Member } from '../api/calls.ts'
import { useAct, useList } from '../api/use.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { FaultNote } from '../parts/fault.tsx'
import { ChoiceField, Form, TextField } from '../parts/field.tsx'
import { Moment } from '../parts/moment.tsx'
import { Table } from '../parts/table.tsx'
import { useMay, useWorkspace } from '../who.ts'
import { words } from '../words/index.ts'
import { ChangeEmail } from './change-email.tsx'
import { HandOver } from './hand-over.tsx'
import { ROLES, type Role } from './roles.ts'
import css from './team.module.css'

export function Members() {
  const { id } = useWorkspace()
  const may = useMay()
  const [isInviting, setInviting] = useState(false)
  const [leaving, setLeaving] = useState<Member | null>(null)
  const [changing, setChanging] = useState<Member | null>(null)
  const { items, fault, more } = useList('listMembers', { params: { id } })
  const invitations = useList('listInvitations', { params: { id } })
  const change = useAct('changeMember', ['listMembers', 'whoami'])
  const remove = useAct('removeMember', ['listMembers', 'whoami'])
  const recover = useAct('recoverMember')
  const at = (personId: string) => ({ id, personId })
  // Both at once: what comes later would move what is there.
  if (!fault && !(items && invitations.items)) return <p class="hidden">{words.shell.loading}</p>
  return (
    <>
      <div class="row">
        <button type="button" class="primary" onClick={() => setInviting(true)}>
          {words.team.invite}
        </button>
      </div>
      <Table
        caption={words.team.members}
        rows={items}
        fault={fault}
        more={more}
        keyOf={(it) => it.id}
        empty={<p>{words.team.noMembers}</p>}
        columns={[
          { head: words.team.name, cell: (it) => <span class="foreign">{it.name}</span> },
          { head: words.signIn.email, cell: (it) => <span class="foreign">{it.email}</span>, wide: true, roomy: true },
          {
            head: words.team.role,
            cell: (it) => (
              <select
                aria-label={words.team.roleOf(it.name)}
                value={it.role}
                onChange={({ currentTarget: { value } }) =>
                  change.mutate({ params: at(it.id), body: { role: value as Role } })
                }
              >
                {ROLES.map((role) => (
                  <option key={role} value={role}>
                    {words.roles[role]}
                  </option>
                ))}
              </select>
            ),
          },
          { head: words.team.lastSeen, cell: (it) => <Moment at={it.lastSeenAt} />, roomy: true },
          {
            head: words.team.act,
            cell: (it) => (
              <span class={css.acts}>
                <button type="button" class="link" onClick={() => recover.mutate({ params: at(it.id) })}>
                  {words.team.recover}
                </button>
                {may('changePerson') && (
                  <button type="button" class="link" onClick={() => setChanging(it)}>
                    {words.team.changeEmail}
                  </button>
                )}
                <button type="button" class="link" onClick={() => setLeaving(it)}>
                  {words.team.remove}
                </button>
              </span>
            ),
          },
        ]}
      />
      {change.error && <FaultNote fault={change.error} />}
      {recover.error && <FaultNote fault={recover.error} />}
      <Invitations items={invitations.items ?? []} more={invitations.more} />
      {isInviting && <Invite close={() => setInviting(false)} />}
      {recover.data && <HandOver title={words.team.recover} link={recover.data.link} close={() => recover.reset()} />}
      {changing && <ChangeEmail person={changing} close={() => setChanging(null)} />}
      {leaving && (
        <Confirm
          title={words.team.remove}
          effect={<p>{words.team.removeMeans}</p>}
          name={leaving.email}
          act={words.team.remove}
          submit={() => remove.mutate({ params: at(leaving.id) }, { onSuccess: () => setLeaving(null) })}
          isBusy={remove.isPending}
          fault={remove.error}
          close={() => setLeaving(null)}
        />
      )}
    </>
  )
}

function Invitations({ items, more }: { items: Invitation[]; more: (() => void) | null }) {
  const { id } = useWorkspace()
  const takeBack = useAct('takeBackInvitation', ['listInvitations'])
  if (items.length === 0) return null
  return (
    <>
      <h2>{words.team.invitations}</h2>
      <Table
        caption={words.team.invitations}
        rows={items}
        more={more}
        keyOf={(it) => it.id}
        columns={[
          { head: words.signIn.email, cell: (it) => <span class="foreign">{it.email}</span>, wide: true },
          { head: words.team.role, cell: (it) => words.roles[it.role] },
          { head: words.team.until, cell: (it) => <Moment at={it.expiresAt} />, roomy: true },
          {
            head: words.team.act,
            cell: (it) => (
              <button
                type="button"
                class="link"
                onClick={() => takeBack.mutate({ params: { id, invitationId: it.id } })}
              >
                {words.team.takeBack}
              </button>
            ),
          },
        ]}
      />
      {takeBack.error && <FaultNote fault={takeBack.error} />}
    </>
  )
}

function Invite({ close }: { close: () => void }) {
  const { id } = useWorkspace()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('developer')
  const { mutate, isPending, error, data } = useAct('inviteMember', ['listInvitations'])
  if (data) return <HandOver title={words.team.invited} link={data.link} close={close} />
  return (
    <Dialog title={words.team.invite} close={close}>
      <Form
        act={words.team.invite}
        submit={() => mutate({ params: { id }, body: { email, role } })}
        isBusy={isPending}
        fault={error}
        fields={['email', 'role']}
        cancel={close}
      >
        <TextField label={words.signIn.email} type="email" value={email} set={setEmail} wrong={error?.of('email')} />
        <ChoiceField
          label={words.team.role}
          hint={words.team.means[role]}
          value={role}
          set={setRole}
          of={ROLES.map((it) => [it, words.roles[it]] as const)}
        />
      </Form>
    </Dialog>
  )
}
