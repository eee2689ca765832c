// The team of a workspace: its members, the tokens of its programs, and its audit log.
import { useState } from 'preact/hooks'
import type { Member } from '../api/calls.ts'
import { useAction, useList } from '../api/use.ts'
import { useWorkspace } from '../caller.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Page } from '../parts/page.tsx'
import { Tabs, useTabs } from '../parts/tabs.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { Audit, auditQuery, NO_FILTER } from './audit.tsx'
import { NewButton } from './new-dialog.tsx'
import { EmailDialog, People, ROLES, type Role, RoleField } from './people.tsx'
import { WorkspaceTokens } from './tokens.tsx'

export function Screen() {
  const { tab, links } = useTabs('/team', [
    ['members', words.team.members],
    ['tokens', words.team.tokens],
    ['audit', words.team.audit],
  ])
  const label = tab && { members: words.team.invite, tokens: words.team.createToken, audit: null }[tab]
  const actions = label ? <NewButton label={label} /> : undefined
  return (
    <Page title={words.screens.team} hasTimes actions={actions}>
      <Tabs label={words.screens.team} of={links} />
      {tab === 'members' && <Members />}
      {tab === 'tokens' && <WorkspaceTokens />}
      {tab === 'audit' && <WorkspaceAudit />}
    </Page>
  )
}

function Members() {
  const { id } = useWorkspace()
  const people = useList('listMembers', { params: { id } }, { topics: ['settings'] })
  const invitations = useList('listInvitations', { params: { id } }, { topics: ['settings'] })
  const change = useAction('changeMember', ['listMembers', 'whoami'])
  const remove = useAction('removeMember', ['listMembers', 'whoami'])
  const recover = useAction('recoverMember')
  const revoke = useAction('revokeInvitation', ['listInvitations'])
  const at = (personId: string) => ({ params: { id, personId } })
  return (
    <>
      <People
        caption={words.team.members}
        empty={words.team.noMembers}
        people={people}
        invitations={invitations}
        role={{
          head: words.team.role,
          cell: (it) => <RoleChoice member={it} set={(role) => change.mutate({ ...at(it.id), body: { role } })} />,
        }}
        guestRole={{ head: words.team.role, cell: ({ role }) => words.roles[role] }}
        recover={{ ...recover, of: (personId) => recover.mutate(at(personId)) }}
        remove={{ ...remove, of: (personId, onSuccess) => remove.mutate(at(personId), { onSuccess }) }}
        revoke={{ ...revoke, of: (invitationId) => revoke.mutate({ params: { id, invitationId } }) }}
        invite={(close) => <Invite close={close} />}
      />
      {change.error && <ErrorNote error={change.error} />}
    </>
  )
}

function RoleChoice({ member: { name, role }, set }: { member: Member; set: (role: Role) => void }) {
  return (
    <select
      aria-label={words.team.roleOf(name)}
      value={role}
      onChange={({ currentTarget: { value } }) => set(value as Role)}
    >
      {ROLES.map((it) => (
        <option key={it} value={it}>
          {words.roles[it]}
        </option>
      ))}
    </select>
  )
}

function Invite({ close }: { close: () => void }) {
  const { id } = useWorkspace()
  const [role, setRole] = useState<Role>('developer')
  const { mutate, isPending, error, data } = useAction('inviteMember', ['listInvitations'])
  return (
    <EmailDialog
      title={words.team.invite}
      label={words.team.invite}
      submit={(email) => mutate({ params: { id }, body: { email, role } })}
      mutation={{ isPending, error }}
      sent={data}
      close={close}
    >
      <RoleField role={role} set={setRole} />
    </EmailDialog>
  )
}

function WorkspaceAudit() {
  const { id } = useWorkspace()
  const [filter, setFilter] = useUrlState(NO_FILTER)
  const list = useList('listWorkspaceAuditLog', { params: { id }, query: auditQuery(filter) }, { topics: ['settings'] })
  return <Audit {...list} filter={filter} setFilter={setFilter} />
}
