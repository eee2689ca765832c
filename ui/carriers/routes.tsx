// Routes in the order in which they are tried: by country, then priority. One is changed or removed in a dialog of its own.
import { useState } from 'preact/hooks'
import type { Carrier, NewRoute, Route } from '../api/calls.ts'
import type { Fault } from '../api/fault.ts'
import { useAct } from '../api/use.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ChoiceField, Form, TextField, Tick } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { numberOf } from '../parts/number-of.ts'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import css from './carriers.module.css'

type MessageType = NonNullable<Route['types']>[number]
const TYPES: readonly MessageType[] = ['otp', 'transactional', 'promotional']
const NEW = 'new'
const TOUCHES = ['listRoutes', 'getNow', 'listCarriers'] as const

interface Props {
  carriers: readonly Carrier[]
  routes: { items: Route[] | undefined; fault: Fault | null; more: (() => void) | null }
}

export function Routes({ carriers, routes: { items, fault, more } }: Props) {
  const [{ route: open }, setOpen] = useUrlState({ route: '' })
  const close = () => setOpen({ route: '' }, { replace: true })
  const chosen = items?.find(({ id }) => id === open)
  return (
    <>
      <div class="row">
        <h2>{words.carriers.routes}</h2>
        <button type="button" class="push" onClick={() => setOpen({ route: NEW })}>
          {words.carriers.addRoute}
        </button>
      </div>
      <Table
        caption={words.carriers.routes}
        columns={columns(carriers)}
        rows={items && inOrder(items)}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/carriers?route=${id}`}
        fault={fault}
        more={more}
        empty={<p>{words.carriers.noRoutes}</p>}
      />
      {(chosen || open === NEW) && carriers.length > 0 && (
        <RouteForm key={open} route={chosen} carriers={carriers} close={close} />
      )}
    </>
  )
}

/** As they are tried: a country's own before those for all, the lowest priority first. */
function inOrder(routes: readonly Route[]): Route[] {
  return [...routes].sort(
    (one, other) =>
      Number(one.country === '*') - Number(other.country === '*') ||
      one.country.localeCompare(other.country) ||
      one.priority - other.priority ||
      other.weight - one.weight ||
      one.id.localeCompare(other.id),
  )
}

const columns = (carriers: readonly Carrier[]): Column<Route>[] => [
  { head: words.carriers.country, cell: ({ country }) => <span class="mono">{country}</span> },
  { head: words.carriers.priority, cell: ({ priority }) => count(priority), right: true },
  {
    head: words.carriers.carrier,
    cell: ({ carrierId }) => <span class="foreign">{carriers.find(({ id }) => id === carrierId)?.name}</span>,
  },
  {
    head: words.carriers.prefixes,
    cell: ({ prefixes }) =>
      prefixes.length === 0 ? (
        <span class="quiet">{words.carriers.allNumbers}</span>
      ) : (
        <span class="mono">{prefixes.join(' ')}</span>
      ),
    wide: true,
    roomy: true,
  },
  {
    head: words.carriers.types,
    cell: ({ types }) =>
      types === null ? (
        <span class="quiet">{words.carriers.allTypes}</span>
      ) : (
        types.map((type) => words.types[type]).join(', ')
      ),
    roomy: true,
  },
  { head: words.carriers.weight, cell: ({ weight }) => count(weight), right: true, roomy: true },
]

interface FormProps {
  route: Route | undefined
  carriers: readonly Carrier[]
  close: () => void
}

function RouteForm({ route, carriers, close }: FormProps) {
  const [it, set] = useState(() => ({
    country: route?.country ?? 'NP',
    carrierId: route?.carrierId ?? carriers[0]?.id ?? '',
    prefixes: route?.prefixes.join(', ') ?? '',
    types: route?.types ?? TYPES,
    priority: String(route?.priority ?? 100),
    weight: String(route?.weight ?? 0),
    overflow: route?.overflow ?? false,
  }))
  const [isRemoving, setRemoving] = useState(false)
  const make = useAct('createRoute', TOUCHES)
  const change = useAct('changeRoute', TOUCHES)
  const remove = useAct('removeRoute', TOUCHES)
  const act = route ? change : make
  const submit = () => {
    const body: NewRoute = {
      country: it.country.trim().toUpperCase(),
      carrierId: it.carrierId,
      prefixes: it.prefixes.split(/[\s,]+/).filter((prefix) => prefix !== ''),
      types: it.types.length === TYPES.length ? null : [...it.types],
      priority: numberOf(it.priority),
      weight: numberOf(it.weight),
      overflow: it.overflow,
    }
    if (route) change.mutate({ params: { id: route.id }, body }, { onSuccess: close })
    else make.mutate({ body }, { onSuccess: close })
  }
  if (route && isRemoving) {
    return (
      <Confirm
        title={words.carriers.remove}
        effect={words.carriers.routeRemoved}
        name={route.country}
        act={words.carriers.remove}
        submit={() => remove.mutate({ params: { id: route.id } }, { onSuccess: close })}
        isBusy={remove.isPending}
        fault={remove.error}
        close={() => setRemoving(false)}
      />
    )
  }
  return (
    <Dialog title={route ? words.carriers.editRoute : words.carriers.addRoute} close={close}>
      <Form
        act={route ? words.carriers.save : words.carriers.make}
        submit={submit}
        isBusy={act.isPending}
        fault={act.error}
        fields={['country', 'prefixes', 'priority', 'weight', 'carrierId']}
        cancel={close}
      >
        <div class={css.fields}>
          <TextField
            label={words.carriers.country}
            hint={words.carriers.countryHint}
            value={it.country}
            set={(country) => set({ ...it, country })}
            wrong={act.error?.of('country')}
          />
          <ChoiceField
            label={words.carriers.carrier}
            value={it.carrierId}
            set={(carrierId) => set({ ...it, carrierId })}
            of={carriers.map(({ id, name }) => [id, name])}
            wrong={act.error?.of('carrierId')}
          />
          <TextField
            label={words.carriers.priority}
            hint={words.carriers.priorityHint}
            value={it.priority}
            set={(priority) => set({ ...it, priority })}
            wrong={act.error?.of('priority')}
          />
          <TextField
            label={words.carriers.weight}
            value={it.weight}
            set={(weight) => set({ ...it, weight })}
            wrong={act.error?.of('weight')}
          />
        </div>
        <TextField
          label={words.carriers.prefixes}
          hint={words.carriers.prefixesHint}
          value={it.prefixes}
          set={(prefixes) => set({ ...it, prefixes })}
          wrong={act.error?.of('prefixes')}
        />
        <fieldset class="row">
          <legend class="hidden">{words.carriers.types}</legend>
          {TYPES.map((type) => (
            <Tick
              key={type}
              label={words.types[type]}
              checked={it.types.includes(type)}
              set={(is) => set({ ...it, types: TYPES.filter((one) => (one === type ? is : it.types.includes(one))) })}
            />
          ))}
        </fieldset>
        <Tick label={words.carriers.overflow} checked={it.overflow} set={(overflow) => set({ ...it, overflow })} />
        {route && (
          <div>
            <button type="button" class="danger" onClick={() => setRemoving(true)}>
              {words.carriers.remove}
            </button>
          </div>
        )}
      </Form>
    </Dialog>
  )
}
