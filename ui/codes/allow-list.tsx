// The numbers and prefixes that the fraud guard of a client never blocks.
import { useState } from 'preact/hooks'
import type { AllowedPrefix } from '../api/calls.ts'
import { useAction, useCall } from '../api/use.ts'
import { useClients } from '../parts/clients.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Form, SelectField, TextField } from '../parts/field.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { words } from '../words/index.ts'

interface Props {
  /** The client in the address; empty for the first enabled one. */
  client: string
  choose: (client: string) => void
}

export function AllowList({ client, choose }: Props) {
  const { clients, isKnown } = useClients()
  const live = clients.filter(({ mode }) => mode === 'live')
  const { id } =
    live.find((it) => it.id === client) ?? live.find(({ disabledAt }) => disabledAt === null) ?? live[0] ?? {}
  if (id === undefined) return isKnown ? <p class="quiet">{words.codes.noClient}</p> : null
  return (
    <div class="stack">
      <SelectField
        label={words.codes.client}
        value={id}
        set={choose}
        of={live.map((it) => [it.id, it.name] as const)}
        hint={words.codes.allowListHint}
      />
      <AllowListOf key={id} id={id} />
    </div>
  )
}

function AllowListOf({ id }: { id: string }) {
  const { data, error } = useCall('listAllowedPrefixes', { params: { id } })
  const [prefix, setPrefix] = useState('')
  const add = useAction('addAllowedPrefix', ['listAllowedPrefixes'])
  const remove = useAction('removeAllowedPrefix', ['listAllowedPrefixes'])
  const submit = () =>
    add.mutate({ params: { id }, body: { prefix: prefix.trim() } }, { onSuccess: () => setPrefix('') })
  const removePrefix = (it: AllowedPrefix) => remove.mutate({ params: { id, prefix: it.prefix } })
  return (
    <>
      <Form submitLabel={words.codes.allow} submit={submit} mutation={add} fields={['prefix']}>
        <TextField
          label={words.codes.numberOrPrefix}
          hint={words.codes.numberOrPrefixHint}
          value={prefix}
          set={setPrefix}
          error={add.error?.of('prefix')}
          inputMode="tel"
          autoComplete="off"
        />
      </Form>
      {remove.error && <ErrorNote error={remove.error} />}
      <Table
        caption={words.codes.allowList}
        columns={columns(removePrefix)}
        items={data?.items}
        keyOf={(it) => it.prefix}
        error={error}
        empty={<p>{words.codes.noneAllowed}</p>}
      />
    </>
  )
}

const columns = (remove: (it: AllowedPrefix) => void): Column<AllowedPrefix>[] => [
  { head: words.codes.numberOrPrefix, cell: ({ prefix }) => <span class="mono">{prefix}</span> },
  {
    head: words.common.actions,
    cell: (it) => (
      <button type="button" class="link" onClick={() => remove(it)} aria-label={words.codes.removeOf(it.prefix)}>
        {words.common.remove}
      </button>
    ),
    right: true,
  },
]
