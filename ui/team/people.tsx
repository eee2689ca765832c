// The people of a workspace or of the service: who belongs to it, who is invited, and the dialogs that change that.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Fault } from '../api/fault.ts'
import { useAct } from '../api/use.ts'
import { useMay } from '../caller.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { FaultNote } from '../parts/fault.tsx'
import { ChoiceField, Form, TextField } from '../parts/field.tsx'
import { Moment } from '../parts/moment.tsx'
import { Secrets } from '../parts/secret.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { words } from '../words/index.ts'
import css from './team.module.css'

/** What somebody may be in a workspace, from the one that may do most. */
export const ROLES = ['owner', 'developer', 'viewer'] as const
export type Role = (typeof ROLES)[number]

interface Person {
  id: string
  name: string
  email: string
  lastSeenAt: string | null
}

interface Invited {
  id: string
  email: string | null
  expiresAt: string
}

interface List<Item> {
  items: Item[] | undefined
  fault: Fault | null
  more: (() => void) | null
}

interface LinkMutation {
  data: { link: string | null } | undefined
  error: Fault | null
  reset: () => void
}

interface Props<Member extends Person, Guest extends Invited> {
  caption: string
  inviteLabel: string
  empty: string
  people: List<Member>
  invitations: List<Guest>
  role?: Column<Member>
  guestRole?: Column<Guest>
  recover: LinkMutation & { of: (id: string) => void }
  remove: { isPending: boolean; error: Fault | null; of: (id: string, done: () => void) => void }
  revoke: { error: Fault | null; of: (id: string) => void }
  /** The dialog that invites somebody. */
  invite: (close: () => void) => ComponentChildren
}

export function People<Member extends Person, Guest extends Invited>(props: Props<Member, Guest>) {
  const { caption, inviteLabel, empty, people, invitations, role, recover, remove, invite } = props
  const may = useMay()
  const [isInviting, setInviting] = useState(false)
  const [leaving, setLeaving] = useState<Member | null>(null)
  const [changing, setChanging] = useState<Member | null>(null)
  // Both at once: a part that comes later would move the other.
  if (!people.fault && !(people.items && invitations.items)) return <p class="hidden">{words.shell.loading}</p>
  const actions = (it: Member) => (
    <span class={css.acts}>
      <LinkButton label={words.team.recover} act={() => recover.of(it.id)} />
      {may('changePerson') && <LinkButton label={words.team.changeEmail} act={() => setChanging(it)} />}
      <LinkButton label={words.team.remove} act={() => setLeaving(it)} />
    </span>
  )
  return (
    <>
      <div class="row">
        <button type="button" class="primary" onClick={() => setInviting(true)}>
          {inviteLabel}
        </button>
      </div>
      <Table
        caption={caption}
        rows={people.items}
        fault={people.fault}
        more={people.more}
        keyOf={(it) => it.id}
        empty={<p>{empty}</p>}
        columns={[
          { head: words.team.name, cell: (it) => <span class="foreign">{it.name}</span> },
          emailColumn(role !== undefined),
          ...(role ? [role] : []),
          { head: words.team.lastSeen, cell: (it) => <Moment at={it.lastSeenAt} />, roomy: true },
          { head: words.team.actions, cell: actions },
        ]}
      />
      {recover.error && <FaultNote fault={recover.error} />}
      <Invitations {...props} />
      {isInviting && invite(() => setInviting(false))}
      {recover.data && <HandOver title={words.team.recover} link={recover.data.link} close={recover.reset} />}
      {changing && <ChangeEmail person={changing} close={() => setChanging(null)} />}
      {leaving && (
        <Confirm
          title={words.team.remove}
          effect={<p>{words.team.removeEffect}</p>}
          name={leaving.email}
          act={words.team.remove}
          submit={() => remove.of(leaving.id, () => setLeaving(null))}
          isBusy={remove.isPending}
          fault={remove.error}
          close={() => setLeaving(null)}
        />
      )}
    </>
  )
}

function Invitations<Member extends Person, Guest extends Invited>(props: Props<Member, Guest>) {
  const { invitations, guestRole, revoke } = props
  const { items = [], more } = invitations
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
          emailColumn(false),
          ...(guestRole ? [guestRole] : []),
          { head: words.team.expires, cell: (it) => <Moment at={it.expiresAt} />, roomy: true },
          {
            head: words.team.actions,
            cell: (it) => <LinkButton label={words.team.revoke} act={() => revoke.of(it.id)} />,
          },
        ]}
      />
      {revoke.error && <FaultNote fault={revoke.error} />}
    </>
  )
}

function emailColumn(roomy: boolean): Column<{ email: string | null }> {
  const cell = ({ email }: { email: string | null }) => <span class="foreign">{email ?? words.team.anyone}</span>
  return { head: words.signIn.email, cell, wide: true, roomy }
}

function LinkButton({ label, act }: { label: string; act: () => void }) {
  return (
    <button type="button" class="link" onClick={act}>
      {label}
    </button>
  )
}

/** A link that works once: shown to be passed on, or a note that it was mailed. */
function HandOver({ title, link, close }: { title: string; link: string | null; close: () => void }) {
  if (link !== null) return <Secrets title={title} of={[[words.team.shareLink, link]]} close={close} />
  return (
    <Dialog title={title} close={close}>
      <p>{words.team.mailed}</p>
    </Dialog>
  )
}

interface EmailProps {
  title: string
  label: string
  initial?: string
  hint?: string
  submit: (email: string) => void
  isBusy: boolean
  fault: Fault | null
  /** The answer, once there is one. */
  sent?: { link: string | null } | undefined
  children?: ComponentChildren
  close: () => void
}

/** Asks for an e-mail address; an invitation also shows its link. */
export function EmailDialog(props: EmailProps) {
  const { title, label, initial = '', hint, submit, isBusy, fault, sent, children, close } = props
  const [email, setEmail] = useState(initial)
  if (sent) return <HandOver title={words.team.invitation} link={sent.link} close={close} />
  return (
    <Dialog title={title} close={close}>
      <Form
        act={label}
        submit={() => submit(email)}
        isBusy={isBusy}
        fault={fault}
        fields={['email', 'role']}
        cancel={close}
      >
        <TextField
          label={words.signIn.email}
          hint={hint}
          type="email"
          value={email}
          set={setEmail}
          wrong={fault?.of('email')}
        />
        {children}
      </Form>
    </Dialog>
  )
}

function ChangeEmail({ person, close }: { person: Person; close: () => void }) {
  const { mutate, isPending, error } = useAct('changePerson', ['listMembers', 'listOperators', 'whoami', 'getAccount'])
  return (
    <EmailDialog
      title={words.team.changeEmailOf(person.name)}
      label={words.account.save}
      initial={person.email}
      hint={words.team.changeEmailHint}
      submit={(email) => mutate({ params: { personId: person.id }, body: { email } }, { onSuccess: close })}
      isBusy={isPending}
      fault={error}
      close={close}
    />
  )
}

export function RoleField({ role, set }: { role: Role; set: (role: Role) => void }) {
  return (
    <ChoiceField
      label={words.team.role}
      hint={words.team.roleHints[role]}
      value={role}
      set={set}
      of={ROLES.map((it) => [it, words.roles[it]] as const)}
    />
  )
}
