// The fields of a route, and the dialog that adds, edits or removes one.
import { useState } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import type { NewRoute, Route } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Checkbox, Form, SelectField, TextField } from '../parts/field.tsx'
import { MESSAGE_TYPES, type MessageType } from '../parts/message-types.ts'
import { numberOf } from '../parts/number-of.ts'
import { TypeCheckboxes } from '../parts/type-checkboxes.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'
import { countryChoices, firstCountry } from './country-choice.ts'
import type { OrderedRoute } from './route-order.ts'
import { RoutePreview } from './route-preview.tsx'
import type { Routing } from './routing.ts'

export const ROUTE_CALLS = ['listRoutes', 'getNow', 'listCarriers', 'checkHealth'] as const

/** The names of the fields in errors; each prefix has its own. */
export function errorFieldsOf({ prefixes }: Fields): string[] {
  const each = prefixesOf(prefixes).map((_, index) => `prefixes.${index}`)
  return ['country', 'prefixes', ...each, 'priority', 'weight', 'carrierId']
}

interface Props {
  /** The route to edit; undefined for a new one. */
  route: Route | undefined
  /** The country and the carrier of a new route; blank for the first. */
  country?: string
  carrierId?: string
  routing: Routing
  close: () => void
}

export function RouteForm({ route, country = '', carrierId = '', routing, close }: Props) {
  const [fields, setFields] = useState(() => fieldsOf(route, routing, { country, carrierId }))
  const [isRemoving, setRemoving] = useState(false)
  const create = useAction('createRoute', ROUTE_CALLS)
  const change = useAction('changeRoute', ROUTE_CALLS)
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
        submitLabel={route ? words.common.save : words.carriers.addRoute}
        submit={submit}
        mutation={mutation}
        fields={errorFieldsOf(fields)}
        cancel={close}
        beside={
          route && (
            <button type="button" class="danger" onClick={() => setRemoving(true)}>
              {words.common.remove}
            </button>
          )
        }
      >
        <RouteFields fields={fields} set={setFields} routing={routing} error={mutation.error} hasCarrier />
        <RoutePreview {...routing} route={previewOf(fields, route?.id)} country={fields.country} />
      </Form>
    </Dialog>
  )
}

export interface Fields {
  country: string
  carrierId: string
  prefixes: string
  types: readonly MessageType[]
  priority: string
  weight: string
  overflow: boolean
}

export function fieldsOf(
  route: Route | undefined,
  { carriers, countries }: Routing,
  chosen: { country?: string; carrierId?: string } = {},
): Fields {
  return {
    country: route?.country ?? (chosen.country || firstCountry(countries)),
    carrierId: route?.carrierId ?? (chosen.carrierId || (carriers[0]?.id ?? '')),
    prefixes: route?.prefixes.join(', ') ?? '',
    types: route?.types ?? MESSAGE_TYPES,
    priority: String(route?.priority ?? 100),
    weight: String(route?.weight ?? 0),
    overflow: route?.overflow ?? false,
  }
}

export function routeOf({ country, carrierId, prefixes, types, priority, weight, overflow }: Fields): NewRoute {
  return {
    country,
    carrierId,
    prefixes: prefixesOf(prefixes),
    types: types.length === MESSAGE_TYPES.length ? null : [...types],
    priority: numberOf(priority),
    weight: numberOf(weight),
    overflow,
  }
}

function prefixesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((prefix) => prefix !== '')
}

/** The error of the field, or of the first wrong prefix, which it names. */
function prefixError(error: ApiError | null, text: string): string | null {
  const found = error?.details.find(({ path }) => path[0] === 'prefixes')
  if (!found) return null
  const [, index] = found.path
  return typeof index === 'number' ? `${prefixesOf(text)[index] ?? ''}: ${found.message}` : found.message
}

/** IDs are ordered by time: a new route comes after all others. */
const LAST_ID = '~'

export function previewOf(fields: Fields, id = LAST_ID): OrderedRoute {
  const { country, carrierId, prefixes = [], types = null, priority = 100, weight = 0 } = routeOf(fields)
  return { id, country, carrierId, prefixes, types, priority: Number(priority) || 0, weight: Number(weight) || 0 }
}

interface RouteFieldsProps {
  fields: Fields
  set: (fields: Fields) => void
  routing: Routing
  error: ApiError | null
  /** Offers the choice of the carrier. */
  hasCarrier?: boolean
}

export function RouteFields({ fields, set, routing: { carriers, countries }, error, hasCarrier }: RouteFieldsProps) {
  const field = (name: 'country' | 'carrierId' | 'prefixes' | 'priority' | 'weight') => ({
    value: fields[name],
    set: (value: string) => set({ ...fields, [name]: value }),
    error: error?.of(name),
  })
  return (
    <>
      <div class={css.pairs}>
        <SelectField
          label={words.carriers.country}
          {...field('country')}
          of={countryChoices(countries, fields.country)}
        />
        {hasCarrier && (
          <SelectField
            label={words.carriers.carrier}
            {...field('carrierId')}
            of={carriers.map(({ id, name }) => [id, name])}
          />
        )}
        <TextField
          label={words.newCarrier.optional(words.carriers.prefixes)}
          hint={words.carriers.prefixesHint}
          {...field('prefixes')}
          error={prefixError(error, fields.prefixes)}
        />
        {hasCarrier && <Types fields={fields} set={set} />}
        <TextField
          label={words.carriers.priority}
          hint={words.carriers.priorityHint}
          inputMode="numeric"
          {...field('priority')}
        />
        <TextField
          label={words.carriers.weight}
          hint={words.carriers.weightHint}
          inputMode="numeric"
          {...field('weight')}
        />
      </div>
      {!hasCarrier && <Types fields={fields} set={set} />}
      <Checkbox
        label={words.carriers.overflow}
        checked={fields.overflow}
        set={(overflow) => set({ ...fields, overflow })}
      />
    </>
  )
}

function Types({ fields, set }: Pick<RouteFieldsProps, 'fields' | 'set'>) {
  return (
    <fieldset class={css.types}>
      <legend>{words.workspaces.types}</legend>
      <TypeCheckboxes chosen={fields.types} set={(types) => set({ ...fields, types })} />
    </fieldset>
  )
}

function RemoveRoute({ route: { id, country }, done, close }: { route: Route; done: () => void; close: () => void }) {
  const remove = useAction('removeRoute', ROUTE_CALLS)
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
