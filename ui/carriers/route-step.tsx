// The last step of a new carrier: its first route, with the order of carriers that results. Done leads to the carrier.
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useAction } from '../api/use.ts'
import { Banner } from '../parts/banner.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Form } from '../parts/field.tsx'
import { foreign } from '../parts/text.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import { errorFieldsOf, fieldsOf, previewOf, ROUTE_CALLS, RouteFields, routeOf } from './route-form.tsx'
import { RoutePreview, typesOf } from './route-preview.tsx'
import { CountryName, compareRoutes } from './routes.tsx'
import { type Routing, useRouting } from './routing.ts'
import css from './wizard.module.css'

export function RouteStep({ carrierId }: { carrierId: string }) {
  const { routing, error } = useRouting()
  const [isMore, setMore] = useState(false)
  if (!routing) return error ? <ErrorNote error={error} /> : <Waiting />
  const carrier = routing.carriers.find(({ id }) => id === carrierId)
  if (!carrier) return <p>{words.shell.pageNotFound}</p>
  const hasRoute = routing.routes.some((route) => route.carrierId === carrierId)
  const of = { carrierId, name: carrier.name, routing }
  if (hasRoute && !isMore) return <Added {...of} more={() => setMore(true)} />
  return <AddRoute {...of} added={() => setMore(false)} />
}

interface StepProps {
  carrierId: string
  name: string
  routing: Routing
}

function AddRoute({ carrierId, name, routing, added }: StepProps & { added: () => void }) {
  const [fields, setFields] = useState(() => fieldsOf(undefined, routing, { carrierId }))
  const create = useAction('createRoute', ROUTE_CALLS)
  return (
    <div class={css.columns}>
      <section class={`card stack ${css.sheet}`}>
        <div class={css.sheetHead}>
          <h2>{words.carriers.addARoute}</h2>
          <span class="meta foreign">{words.newCarrier.routeMeans(name)}</span>
        </div>
        <Form
          submitLabel={words.carriers.addRoute}
          submit={() => create.mutate({ body: routeOf(fields) }, { onSuccess: added })}
          mutation={create}
          fields={errorFieldsOf(fields)}
          beside={
            <Link href={`/carriers/${carrierId}`} class="button">
              {words.newCarrier.skip}
            </Link>
          }
        >
          <RouteFields fields={fields} set={setFields} routing={routing} error={create.error} />
        </Form>
      </section>
      <aside class="card" aria-label={words.carriers.routes}>
        <RoutePreview {...routing} route={previewOf(fields)} country={fields.country} />
      </aside>
    </div>
  )
}

function Added({ carrierId, name, routing, more }: StepProps & { more: () => void }) {
  const own = routing.routes.filter((route) => route.carrierId === carrierId).toSorted(compareRoutes)
  const latest = own.reduce((one, other) => (other.createdAt > one.createdAt ? other : one))
  return (
    <div class={css.columns}>
      <section class={`card stack ${css.sheet}`}>
        <div class={css.sheetHead}>
          <h2 class="foreign">{words.newCarrier.routesOf(name)}</h2>
        </div>
        <Banner tone="good" isAnnounced>
          {words.newCarrier.routeAdded}
        </Banner>
        <ul class={css.own}>
          {own.map((route) => (
            <li key={route.id} class="row">
              <CountryName code={route.country} />
              <span class="mono">{foreign(route.prefixes.join(' '))}</span>
              <span class="meta">{typesOf(route)}</span>
            </li>
          ))}
        </ul>
        <div class={css.sheetFoot}>
          <button type="button" onClick={more}>
            {words.newCarrier.anotherRoute}
          </button>
          <Link href={`/carriers/${carrierId}`} class="button primary">
            {words.parts.done}
          </Link>
        </div>
      </section>
      <aside class="card" aria-label={words.carriers.routes}>
        <RoutePreview {...routing} route={null} country={latest.country} />
      </aside>
    </div>
  )
}
