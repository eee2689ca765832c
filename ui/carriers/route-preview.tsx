// Which carrier is tried first, second and so on for the country of a route that is not saved yet.
import type { Carrier, Country, Route } from '../api/calls.ts'
import { count, share as formatShare } from '../parts/format.ts'
import { Health } from '../parts/health.tsx'
import { Pill } from '../parts/status.tsx'
import { foreign } from '../parts/text.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'
import { placeName } from './country-choice.ts'
import { ALL_COUNTRIES, countOthers, type OrderedRoute, orderRoutes } from './route-order.ts'

interface Props {
  /** The new or changed route; null shows the order as it is. */
  route: OrderedRoute | null
  country: string
  routes: readonly Route[]
  carriers: readonly Carrier[]
  countries: readonly Country[]
}

export function RoutePreview({ route, country, routes, carriers, countries }: Props) {
  const prefix = route?.prefixes[0] ?? ''
  const policy = countries.find(({ code }) => code === country)?.policy ?? 'weighted'
  const after = route ? [...routes.filter(({ id }) => id !== route.id), route] : [...routes]
  const places = orderRoutes<OrderedRoute>(after, { country, prefix, policy })
  const others = countOthers(after, { country, prefix })
  const place = [country === ALL_COUNTRIES ? words.carriers.allOtherCountries : placeName(country, countries), prefix]
  const title = place.filter(Boolean).join(' ')
  return (
    <section class={`stack ${css.preview}`} aria-live="polite">
      <h2 class="foreign">{route ? words.newCarrier.preview(title) : words.newCarrier.order(title)}</h2>
      <ol class={css.order}>
        {places.map((it) => (
          <li key={it.route.id}>
            <span class={it.route === route ? `${css.rank} ${css.own}` : css.rank}>{count(it.rank)}</span>
            <span class={css.ranked}>
              <span>{foreign(carriers.find(({ id }) => id === it.route.carrierId)?.name)}</span>
              <span class="meta">
                {[typesOf(it.route), it.share !== null && words.newCarrier.shares(formatShare(it.share))]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </span>
            {it.route === route ? (
              <Pill tone="info" word={words.newCarrier.thisRoute} />
            ) : (
              <HealthOf carrier={carriers.find(({ id }) => id === it.route.carrierId)} />
            )}
          </li>
        ))}
        {places.length === 0 && <li class="quiet">{words.now.none}</li>}
      </ol>
      {policy === 'cheapest' && <p class="meta">{words.newCarrier.byPrice}</p>}
      {others > 0 && <p class="meta">{words.newCarrier.narrower(others, count(others))}</p>}
      {route && <p class="meta">{words.newCarrier.previewMeans}</p>}
    </section>
  )
}

function HealthOf({ carrier }: { carrier: Carrier | undefined }) {
  return carrier ? <Health state={carrier.health.state} reason={null} /> : null
}

export function typesOf({ types }: Pick<Route, 'types'>): string {
  return types === null ? words.carriers.allTypes : types.map((type) => words.types[type]).join(', ')
}
