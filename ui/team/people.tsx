// The members of a workspace or the operators of the service, and their pending invitations.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import { useAction } from '../api/use.ts'
import { useCan } from '../caller.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Form, type MutationState, SelectField, TextField } from '../parts/field.tsx'
import { Moment } from '../parts/moment.tsx'
import { Secrets } from '../parts/secret.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { words } from '../words/index.ts'
import { useNewDialog } from './new-dialog.tsx'
import css from './team.module.css'

/** The roles in a workspace, most permissions first. */
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
  error: ApiError | null
  more: (() => void) | null
}

interface LinkMutation {
  data: { link: string | null } | undefined
  error: ApiError | null
  reset: () => void
}

interface Props<Member extends Person, Guest extends Invited> {
  caption: string
  empty: string
  people: List<Member>
  invitations: List<Guest>
  role?: Column<Member>
  guestRole?: Column<Guest>
  recover: LinkMutation & { of: (id: string) => void }
  remove: MutationState & { of: (id: string, done: () => void) => void }
  revoke: { error: ApiError | null; of: (id: string) => void }
  /** Renders the dialog for an invitation. */
  invite: (close: () => void) => ComponentChildren
}

export function People<Member extends Person, Guest extends Invited>(props: Props<Member, Guest>) {
  const { caption, empty, people, invitations, role, recover, remove, invite } = props
  const can = useCan()
  const [isInviting, setInviting] = useNewDialog()
  const [removed, setRemoved] = useState<Member | null>(null)
  const [changing, setChanging] = useState<Member | null>(null)
  // The tables appear together, so that nothing moves.
  if (!people.error && !(people.items && invitations.items)) return <p class="hidden">{words.shell.loading}</p>
  const actions = (it: Member) => (
    <span class={css.acts}>
      <LinkButton label={words.team.recover} act={() => recover.of(it.id)} />
      {can('changePerson') && <LinkButton label={words.team.changeEmail} act={() => setChanging(it)} />}
      <LinkButton label={words.common.remove} act={() => setRemoved(it)} />
    </span>
  )
  return (
    <>
      <Table
        {...people}
        caption={caption}
        keyOf={(it) => it.id}
        empty={<p>{empty}</p>}
        columns={[
          { head: words.common.name, cell: (it) => foreign(it.name) },
          emailColumn(role !== undefined),
          ...(role ? [role] : []),
          { head: words.common.lastSeen, cell: (it) => <Moment at={it.lastSeenAt} />, secondary: true },
          { head: words.common.actions, cell: actions },
        ]}
      />
      {recover.error && <ErrorNote error={recover.error} />}
      <Invitations {...props} />
      {isInviting && invite(() => setInviting(false))}
      {recover.data && <SharedLink title={words.team.recover} link={recover.data.link} close={recover.reset} />}
      {changing && <ChangeEmail person={changing} close={() => setChanging(null)} />}
      {removed && (
        <Confirm
          title={words.common.remove}
          effect={words.team.removeEffect}
          name={removed.email}
          submit={() => remove.of(removed.id, () => setRemoved(null))}
          mutation={remove}
          close={() => setRemoved(null)}
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
        items={items}
        more={more}
        keyOf={(it) => it.id}
        columns={[
          emailColumn(false),
          ...(guestRole ? [guestRole] : []),
          { head: words.team.expires, cell: (it) => <Moment at={it.expiresAt} />, secondary: true },
          {
            head: words.common.actions,
            cell: (it) => <LinkButton label={words.team.revoke} act={() => revoke.of(it.id)} />,
          },
        ]}
      />
      {revoke.error && <ErrorNote error={revoke.error} />}
    </>
  )
}

function emailColumn(secondary: boolean): Column<{ email: string | null }> {
  const cell = ({ email }: { email: string | null }) => <span class="foreign">{email ?? words.team.anyone}</span>
  return { head: words.signIn.email, cell, wide: true, secondary }
}

function LinkButton({ label, act }: { label: string; act: () => void }) {
  return (
    <button type="button" class="link" onClick={act}>
      {label}
    </button>
  )
}

/** A single-use link to share, or a note that it was mailed. */
function SharedLink({ title, link, close }: { title: string; link: string | null; close: () => void }) {
  if (link !== null) return <Secrets title={title} of={[{ label: words.team.shareLink, value: link }]} close={close} />
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
  mutation: MutationState
  /** The created invitation. */
  sent?: { link: string | null } | undefined
  children?: ComponentChildren
  close: () => void
}

/** Asks for an e-mail address; an invitation also shows its link. */
export function EmailDialog(props: EmailProps) {
  const { title, label, initial = '', hint, submit, mutation, sent, children, close } = props
  const [email, setEmail] = useState(initial)
  if (sent) return <SharedLink title={words.team.invitation} link={sent.link} close={close} />
  return (
    <Dialog title={title} close={close}>
      <Form
        submitLabel={label}
        submit={() => submit(email)}
        mutation={mutation}
        fields={['email', 'role']}
        cancel={close}
      >
        <TextField
          label={words.signIn.email}
          hint={hint}
          type="email"
          value={email}
          set={setEmail}
          error={mutation.error?.of('email')}
        />
        {children}
      </Form>
    </Dialog>
  )
}

function ChangeEmail({ person, close }: { person: Person; close: () => void }) {
  const { mutate, isPending, error } = useAction('changePerson', [
    'listMembers',
    'listOperators',
    'whoami',
    'getAccount',
  ])
  return (
    <EmailDialog
      title={words.team.changeEmailOf(person.name)}
      label={words.common.save}
      initial={person.email}
      hint={words.team.changeEmailHint}
      submit={(email) => mutate({ params: { personId: person.id }, body: { email } }, { onSuccess: close })}
      mutation={{ isPending, error }}
      close={close}
    />
  )
}

export function RoleField({ role, set }: { role: Role; set: (role: Role) => void }) {
  return (
    <SelectField
      label={words.team.role}
      hint={words.team.roleHints[role]}
      value={role}
      set={set}
      of={ROLES.map((it) => [it, words.roles[it]] as const)}
    />
  )
}
