// The restrictions of a client. Values set by an operator can be made stricter, never looser (D43).

import { useState } from 'preact/hooks'
import type { Client } from '../api/calls.ts'
import type { Fault } from '../api/fault.ts'
import { useAct } from '../api/use.ts'
import { useCaller } from '../caller.ts'
import { Curl } from '../parts/curl.tsx'
import { Facts } from '../parts/facts.tsx'
import { ChoiceField, Field, Form, TextField } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { MESSAGE_TYPES } from '../parts/message-types.ts'
import { TypeTicks } from '../parts/type-ticks.tsx'
import { words } from '../words/index.ts'
import { type Fields, fieldsOf, GUARDS, restrictionsOf } from './restriction-fields.ts'

export function Restrictions({ client }: { client: Client }) {
  const [edited, setEdited] = useState<Partial<Fields>>({})
  const act = useAct('changeClient', ['getClient', 'listClients'])
  const shown = { ...fieldsOf(client.restrictions), ...edited }
  const field = <Name extends keyof Fields>(name: Name) => ({
    value: shown[name],
    set: (value: Fields[Name]) => setEdited({ ...edited, [name]: value }),
    wrong: faultOf(act.error, name),
  })
  const input = { params: { id: client.id }, body: { restrictions: restrictionsOf(edited) } }
  const { setByOperator } = client
  return (
    <Form
      act={words.clients.save}
      submit={() => act.mutate(input, { onSuccess: () => setEdited({}) })}
      isBusy={act.isPending}
      fault={act.error}
      fields={act.error?.details.map(({ path }) => path.join('.')) ?? []}
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
      <ChoiceField
        label={words.clients.guard}
        hint={setByOperator.pumpingGuard && words.clients.setByAdmin(words.clients.guards[setByOperator.pumpingGuard])}
        {...field('pumpingGuard')}
        of={GUARDS.map((guard) => [guard, words.clients.guards[guard]] as const)}
      />
      <div class="row">
        <Curl of="changeClient" input={input} />
        <span role="status">{act.isSuccess && Object.keys(edited).length === 0 ? words.clients.saved : ''}</span>
      </div>
    </Form>
  )
}

interface TypesProps {
  value: Fields['types']
  set: (types: Fields['types']) => void
  bound: Client['setByOperator']['types']
  wrong: string | null
}

function Types({ value, set, bound, wrong }: TypesProps) {
  const { kind } = useCaller()
  const offered = kind === 'operator' || !bound ? MESSAGE_TYPES : bound
  return (
    <fieldset class="stack">
      <legend>
        <strong>{words.clients.types}</strong>
      </legend>
      <TypeTicks offered={offered} chosen={value} set={set} />
      {wrong && <p class="bad foreign">{wrong}</p>}
      {bound && <p class="quiet">{words.clients.setByAdmin(bound.map((type) => words.types[type]).join(', '))}</p>}
    </fieldset>
  )
}

interface LinesProps {
  label: string
  hint: string
  bound: readonly string[] | null | undefined
  value: string
  set: (value: string) => void
  wrong: string | null
}

function Lines({ label, hint, bound, value, set, wrong }: LinesProps) {
  return (
    <Field label={label} hint={bound ? words.clients.setByAdmin(bound.join(', ')) : hint} wrong={wrong}>
      {(ties) => (
        <textarea
          {...ties}
          class="mono"
          rows={3}
          spellcheck={false}
          value={value}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

function boundOf(cap: number | null | undefined): string | null {
  return cap === null || cap === undefined ? null : words.clients.setByAdmin(count(cap))
}

/** Of the field, or of one of its lines. */
function faultOf(fault: Fault | null, field: keyof Fields): string | null {
  return fault?.details.find(({ path }) => path[0] === 'restrictions' && path[1] === field)?.message ?? null
}

/** For roles that may only read. */
export function RestrictionFacts({ client: { restrictions: it } }: { client: Client }) {
  const listed = (items: readonly string[] | null) => (
    <span class="foreign">{items === null ? words.clients.any : items.join(', ')}</span>
  )
  const cap = (most: number | null) => (most === null ? words.clients.noCap : count(most))
  return (
    <Facts
      of={[
        [words.clients.types, listed(it.types?.map((type) => words.types[type]) ?? null)],
        [words.clients.ips, listed(it.ipAllowlist)],
        [words.clients.prefixes, listed(it.numberPrefixes)],
        [words.clients.dailyCap, cap(it.dailyCap)],
        [words.clients.hourlyCap, cap(it.hourlyCapPerNumber)],
        [words.clients.guard, words.clients.guards[it.pumpingGuard]],
      ]}
    />
  )
}
