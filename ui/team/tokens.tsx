// Tokens for programs: created with a name, a role and an expiry, shown once, revoked immediately.
import { useState } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import type { OwnerToken } from '../api/calls.ts'
import { useAction, useList } from '../api/use.ts'
import { useWorkspace } from '../caller.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Form, type MutationState, TextField } from '../parts/field.tsx'
import { Moment } from '../parts/moment.tsx'
import { Secrets } from '../parts/secret.tsx'
import { Pill } from '../parts/status.tsx'
import { Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { words } from '../words/index.ts'
import { useNewDialog } from './new-dialog.tsx'
import { type Role, RoleField } from './people.tsx'

interface NewTokenFields {
  name: string
  role: Role
  expiresAt: string | null
}

export function WorkspaceTokens() {
  const { id } = useWorkspace()
  const list = useList('listOwnerTokens', { params: { id } })
  const create = useAction('createOwnerToken', ['listOwnerTokens'])
  const revoke = useAction('revokeOwnerToken', ['listOwnerTokens'])
  return (
    <Tokens
      list={list}
      created={create.data?.token}
      creating={create}
      hasRoles
      create={(body) => create.mutate({ params: { id }, body })}
      reset={() => create.reset()}
      revoke={(tokenId) => revoke.mutate({ params: { id, tokenId } })}
      error={revoke.error}
    />
  )
}

export function OperatorTokens() {
  const list = useList('listOperatorTokens', {})
  const create = useAction('createOperatorToken', ['listOperatorTokens'])
  const revoke = useAction('revokeOperatorToken', ['listOperatorTokens'])
  return (
    <Tokens
      list={list}
      created={create.data?.token}
      creating={create}
      create={({ name, expiresAt }) => create.mutate({ body: { name, expiresAt } })}
      reset={() => create.reset()}
      revoke={(tokenId) => revoke.mutate({ params: { tokenId } })}
      error={revoke.error}
    />
  )
}

interface Props {
  list: { items: OwnerToken[] | undefined; error: ApiError | null; more: (() => void) | null }
  created: string | undefined
  creating: MutationState
  create: (fields: NewTokenFields) => void
  reset: () => void
  revoke: (id: string) => void
  error: ApiError | null
  hasRoles?: boolean
}

function Tokens({ list, created, creating, create, reset, revoke, error, hasRoles }: Props) {
  const [isOpen, setOpen] = useNewDialog()
  const close = () => {
    setOpen(false)
    reset()
  }
  if (!list.error && !list.items) return <p class="hidden">{words.shell.loading}</p>
  return (
    <>
      <Table
        {...list}
        caption={words.team.tokens}
        keyOf={(it) => it.id}
        empty={<p>{words.team.noTokens}</p>}
        columns={[
          { head: words.common.name, cell: (it) => foreign(it.name), wide: true },
          { head: words.team.role, cell: (it) => words.roles[it.role] },
          { head: words.common.lastUsed, cell: (it) => <Moment at={it.lastUsedAt} />, secondary: true },
          { head: words.team.expires, cell: (it) => <Moment at={it.expiresAt} style="day" />, secondary: true },
          { head: words.common.actions, cell: (it) => <State token={it} revoke={() => revoke(it.id)} /> },
        ]}
      />
      {error && <ErrorNote error={error} />}
      {isOpen && created === undefined && (
        <NewToken creating={creating} create={create} close={close} hasRoles={hasRoles} />
      )}
      {isOpen && created !== undefined && (
        <Secrets title={words.team.createToken} of={[{ label: words.team.token, value: created }]} close={close} />
      )}
    </>
  )
}

function State({ token: { revokedAt, expiresAt }, revoke }: { token: OwnerToken; revoke: () => void }) {
  if (revokedAt) return <Pill tone="idle" word={words.team.revoked} />
  if (expiresAt && Date.parse(expiresAt) <= Date.now()) return <Pill tone="idle" word={words.team.expired} />
  return (
    <button type="button" class="link" onClick={revoke}>
      {words.team.revoke}
    </button>
  )
}

interface NewProps extends Pick<Props, 'creating' | 'create'> {
  close: () => void
  hasRoles: boolean | undefined
}

function NewToken({ creating, create, close, hasRoles }: NewProps) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('developer')
  const [day, setDay] = useState('')
  const error = creating.error
  const expiresAt = day === '' ? null : new Date(`${day}T00:00:00`).toISOString()
  return (
    <Dialog title={words.team.createToken} close={close}>
      <Form
        submitLabel={words.team.createToken}
        submit={() => create({ name, role, expiresAt })}
        mutation={creating}
        fields={['name', 'role', 'expiresAt']}
        cancel={close}
      >
        <TextField label={words.common.name} value={name} set={setName} error={error?.of('name')} />
        {hasRoles && <RoleField role={role} set={setRole} />}
        <TextField
          label={words.team.expires}
          hint={words.team.expiryHint}
          type="date"
          value={day}
          set={setDay}
          error={error?.of('expiresAt')}
        />
      </Form>
    </Dialog>
  )
}
