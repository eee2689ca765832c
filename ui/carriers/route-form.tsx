// The dialog that creates, edits or removes a route.
import { useState } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import type { Carrier, NewRoute, Route } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Checkbox, Form, SelectField, TextField } from '../parts/field.tsx'
import { MESSAGE_TYPES, type MessageType } from '../parts/message-types.ts'
import { numberOf } from '../parts/number-of.ts'
import { TypeCheckboxes } from '../parts/type-checkboxes.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'

const RELOADS = ['listRoutes', 'getNow', 'listCarriers'] as const

interface Props {
  /** The route to edit; undefined for a new one. */
  route: Route | undefined
  carriers: readonly Carrier[]
  close: () => void
}

export function RouteForm({ route, carriers, close }: Props) {
  const [fields, setFields] = useState(() => fieldsOf(route, carriers))
  const [isRemoving, setRemoving] = useState(false)
  const create = useAction('createRoute', RELOADS)
  const change = useAction('changeRoute', RELOADS)
  const mutation = route ? change : create
  const submit = () => {
    const body = routeOf(fields)
    if (route) change.mutate({ params: { id: route.id }, body }, { onSuccess: close })
    else create.mutate({ body }, { onSuccess: close })
  }
  if (route && isRemoving) return <RemoveRoute route={route} done={close} close={() => setRemoving(false)} />
  return (
    <Dialog title={route ? words.carriers.editRoute : words.carriers.addRoute} close={close}>
      <Form
        submitLabel={route ? words.common.save : words.carriers.make}
        submit={submit}
        mutation={mutation}
        fields={['country', 'prefixes', 'priority', 'weight', 'carrierId']}
        cancel={close}
      >
        <RouteFields fields={fields} set={setFields} carriers={carriers} error={mutation.error} />
        {route && (
          <div>
            <button type="button" class="danger" onClick={() => setRemoving(true)}>
              {words.common.remove}
            </button>
          </div>
        )}
      </Form>
    </Dialog>
  )
}

interface Fields {
  country: string
  carrierId: string
  prefixes: string
  types: readonly MessageType[]
  priority: string
  weight: string
  overflow: boolean
}

function fieldsOf(route: Route | undefined, carriers: readonly Carrier[]): Fields {
  return {
    country: route?.country ?? 'NP',
    carrierId: route?.carrierId ?? carriers[0]?.id ?? '',
    prefixes: route?.prefixes.join(', ') ?? '',
    types: route?.types ?? MESSAGE_TYPES,
    priority: String(route?.priority ?? 100),
    weight: String(route?.weight ?? 0),
    overflow: route?.overflow ?? false,
  }
}

function routeOf({ country, carrierId, prefixes, types, priority, weight, overflow }: Fields): NewRoute {
  return {
    country: country.trim().toUpperCase(),
    carrierId,
    prefixes: prefixes.split(/[\s,]+/).filter((prefix) => prefix !== ''),
    types: types.length === MESSAGE_TYPES.length ? null : [...types],
    priority: numberOf(priority),
    weight: numberOf(weight),
    overflow,
  }
}

interface RouteFieldsProps {
  fields: Fields
  set: (fields: Fields) => void
  carriers: readonly Carrier[]
  error: ApiError | null
}

function RouteFields({ fields, set, carriers, error }: RouteFieldsProps) {
  const field = (name: 'country' | 'carrierId' | 'prefixes' | 'priority' | 'weight') => ({
    value: fields[name],
    set: (value: string) => set({ ...fields, [name]: value }),
    error: error?.of(name),
  })
  return (
    <>
      <div class={css.fields}>
        <TextField label={words.carriers.country} hint={words.carriers.countryHint} {...field('country')} />
        <SelectField
          label={words.carriers.carrier}
          {...field('carrierId')}
          of={carriers.map(({ id, name }) => [id, name])}
        />
        <TextField label={words.carriers.priority} hint={words.carriers.priorityHint} {...field('priority')} />
        <TextField label={words.carriers.weight} {...field('weight')} />
      </div>
      <TextField label={words.carriers.prefixes} hint={words.carriers.prefixesHint} {...field('prefixes')} />
      <fieldset>
        <legend>{words.workspaces.types}</legend>
        <TypeCheckboxes chosen={fields.types} set={(types) => set({ ...fields, types })} />
      </fieldset>
      <Checkbox
        label={words.carriers.overflow}
        checked={fields.overflow}
        set={(overflow) => set({ ...fields, overflow })}
      />
    </>
  )
}

function RemoveRoute({ route: { id, country }, done, close }: { route: Route; done: () => void; close: () => void }) {
  const remove = useAction('removeRoute', RELOADS)
  return (
    <Confirm
      title={words.common.remove}
      effect={words.carriers.routeRemoved}
      name={country}
      submit={() => remove.mutate({ params: { id } }, { onSuccess: done })}
      mutation={remove}
      close={close}
    />
  )
}
