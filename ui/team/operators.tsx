// The operators of the service, their tokens, and the audit log of all workspaces.
import { useAction, useList } from '../api/use.ts'
import { Page } from '../parts/page.tsx'
import { Tabs, useTabs } from '../parts/tabs.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { Audit, auditQuery, NO_FILTER } from './audit.tsx'
import { NewButton } from './new-dialog.tsx'
import { EmailDialog, People } from './people.tsx'
import { OperatorTokens } from './tokens.tsx'

export function Screen() {
  const { tab, links } = useTabs('/people', [
    ['operators', words.team.operators],
    ['tokens', words.team.tokens],
    ['audit', words.team.audit],
  ])
  const label = tab && { operators: words.team.inviteOperator, tokens: words.team.createToken, audit: null }[tab]
  const actions = label ? <NewButton label={label} /> : undefined
  return (
    <Page title={words.screens.people} hasTimes actions={actions}>
      <Tabs label={words.screens.people} of={links} />
      {tab === 'operators' && <Operators />}
      {tab === 'tokens' && <OperatorTokens />}
      {tab === 'audit' && <ServiceAudit />}
    </Page>
  )
}

function Operators() {
  const people = useList('listOperators', {}, { topics: ['settings'] })
  const invitations = useList('listOperatorInvitations', {}, { topics: ['settings'] })
  const remove = useAction('removeOperator', ['listOperators'])
  const recover = useAction('recoverPerson')
  const revoke = useAction('revokeOperatorInvitation', ['listOperatorInvitations'])
  return (
    <People
      caption={words.team.operators}
      empty={words.team.noOperators}
      people={people}
      invitations={invitations}
      recover={{ ...recover, of: (personId) => recover.mutate({ params: { personId } }) }}
      remove={{ ...remove, of: (personId, onSuccess) => remove.mutate({ params: { personId } }, { onSuccess }) }}
      revoke={{ ...revoke, of: (invitationId) => revoke.mutate({ params: { invitationId } }) }}
      invite={(close) => <Invite close={close} />}
    />
  )
}

function Invite({ close }: { close: () => void }) {
  const { mutate, isPending, error, data } = useAction('inviteOperator', ['listOperatorInvitations'])
  return (
    <EmailDialog
      title={words.team.inviteOperator}
      label={words.team.inviteOperator}
      hint={words.team.emailOptional}
      submit={(email) => mutate({ body: email === '' ? {} : { email } })}
      mutation={{ isPending, error }}
      sent={data}
      close={close}
    />
  )
}

function ServiceAudit() {
  const [filter, setFilter] = useUrlState(NO_FILTER)
  const list = useList('listAuditLog', { query: auditQuery(filter) }, { topics: ['settings'] })
  return <Audit {...list} filter={filter} setFilter={setFilter} />
}
