// Whether what a workspace sends goes to the simulator, where it reaches nobody: people are to see that at a glance.
import type { Route } from './routing.ts'

export type Simulated = 'all' | 'some' | 'none'

/**
 * By the routes alone, whether carriers work or not: as long as no route of a country's own serves all of it, routes for every country
 * may. `countries` are those that can be sent to.
 */
export function simulatedPart(
  routes: readonly Pick<Route, 'country' | 'prefixes' | 'types' | 'carrierId'>[],
  { simulatorId, countries }: { simulatorId: string | null; countries: readonly string[] },
): Simulated {
  const leading = countries.flatMap((country) => {
    const own = routes.filter((route) => route.country === country)
    const servesAll = own.some(({ prefixes, types }) => prefixes.length === 0 && types === null)
    return servesAll ? own : [...own, ...routes.filter((route) => route.country === '*')]
  })
  const simulated = leading.filter((route) => route.carrierId === simulatorId)
  if (simulatorId === null || simulated.length === 0) return 'none'
  return simulated.length === leading.length ? 'all' : 'some'
}
