// The restrictions of a client. Values set by an operator can be made stricter, never looser (D43).
import { useState } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import type { Client } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { useCaller } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Facts } from '../parts/facts.tsx'
import { AreaField, Form, SelectField, TextField } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { MESSAGE_TYPES } from '../parts/message-types.ts'
import { foreign } from '../parts/text.tsx'
import { TypeCheckboxes } from '../parts/type-checkboxes.tsx'
import { words } from '../words/index.ts'
import { type Fields, fieldsOf, GUARDS, restrictionsOf } from './restriction-fields.ts'

export function Restrictions({ client }: { client: Client }) {
  const [edited, setEdited] = useState<Partial<Fields>>({})
  const act = useAction('changeClient', ['getClient', 'listClients'])
  const shown = { ...fieldsOf(client.restrictions), ...edited }
  const field = <Name extends keyof Fields>(name: Name) => ({
    value: shown[name],
    set: (value: Fields[Name]) => setEdited({ ...edited, [name]: value }),
    error: errorOf(act.error, name),
  })
  const input = { params: { id: client.id }, body: { restrictions: restrictionsOf(edited) } }
  const { setByOperator } = client
  return (
    <Form
      submitLabel={words.common.save}
      submit={() => act.mutate(input, { onSuccess: () => setEdited({}) })}
      mutation={act}
      fields={act.error?.details.map(({ path }) => path.join('.')) ?? []}
      beside={<ApiButton of="changeClient" input={input} />}
    >
      <Types bound={setByOperator.types} {...field('types')} />
      <Lines
        label={words.clients.ips}
        hint={words.clients.ipsHint}
        bound={setByOperator.ipAllowlist}
        {...field('ipAllowlist')}
      />
      <Lines
        label={words.clients.prefixes}
        hint={words.clients.prefixesHint}
        bound={setByOperator.numberPrefixes}
        {...field('numberPrefixes')}
      />
      <TextField
        label={words.clients.dailyCap}
        hint={boundOf(setByOperator.dailyCap) ?? words.clients.capHint}
        {...field('dailyCap')}
        inputMode="numeric"
      />
      <TextField
        label={words.clients.hourlyCap}
        hint={boundOf(setByOperator.hourlyCapPerNumber) ?? words.clients.capHint}
        {...field('hourlyCapPerNumber')}
        inputMode="numeric"
      />
      <SelectField
        label={words.codes.guard}
        hint={
          setByOperator.pumpingGuard && words.clients.setByOperator(words.clients.guards[setByOperator.pumpingGuard])
        }
        {...field('pumpingGuard')}
        of={GUARDS.map((guard) => [guard, words.clients.guards[guard]] as const)}
      />
    </Form>
  )
}

interface TypesProps {
  value: Fields['types']
  set: (types: Fields['types']) => void
  bound: Client['setByOperator']['types']
  error: string | null
}

function Types({ value, set, bound, error }: TypesProps) {
  const { kind } = useCaller()
  const offered = kind === 'operator' || !bound ? MESSAGE_TYPES : bound
  return (
    <fieldset class="stack">
      <legend>
        <strong>{words.clients.types}</strong>
      </legend>
      <TypeCheckboxes offered={offered} chosen={value} set={set} />
      {error && <p class="bad foreign">{error}</p>}
      {bound && <p class="quiet">{words.clients.setByOperator(bound.map((type) => words.types[type]).join(', '))}</p>}
    </fieldset>
  )
}

interface LinesProps {
  label: string
  hint: string
  bound: readonly string[] | null | undefined
  value: string
  set: (value: string) => void
  error: string | null
}

function Lines({ label, hint, bound, value, set, error }: LinesProps) {
  return (
    <AreaField
      label={label}
      hint={bound ? words.clients.setByOperator(bound.join(', ')) : hint}
      value={value}
      set={set}
      error={error}
      class="mono"
      rows={3}
      spellcheck={false}
    />
  )
}

function boundOf(cap: number | null | undefined): string | null {
  return cap === null || cap === undefined ? null : words.clients.setByOperator(count(cap))
}

/** The error of a field, or of one of its lines. */
function errorOf(error: ApiError | null, field: keyof Fields): string | null {
  return error?.details.find(({ path }) => path[0] === 'restrictions' && path[1] === field)?.message ?? null
}

/** For roles that may only read. */
export function RestrictionFacts({ client: { restrictions: it } }: { client: Client }) {
  const listed = (items: readonly string[] | null) => foreign(items?.join(', ') ?? words.clients.any)
  const cap = (most: number | null) => (most === null ? words.clients.noCap : count(most))
  return (
    <Facts
      of={[
        [words.clients.types, listed(it.types?.map((type) => words.types[type]) ?? null)],
        [words.clients.ips, listed(it.ipAllowlist)],
        [words.clients.prefixes, listed(it.numberPrefixes)],
        [words.clients.dailyCap, cap(it.dailyCap)],
        [words.clients.hourlyCap, cap(it.hourlyCapPerNumber)],
        [words.codes.guard, words.clients.guards[it.pumpingGuard]],
      ]}
    />
  )
}
