// Where messages go: routes to carriers, and the countries there are.
import { type Command, changeable, type Option, PAGING } from './command.ts'

const route: Record<string, Option> = {
  country: { kind: 'text', tells: 'ISO 3166-1 alpha-2, or * for those without a route', isPlaced: true },
  carrier: { kind: 'text', at: 'carrierId', thing: 'carrier', tells: 'name or id of a carrier', isPlaced: true },
  prefixes: {
    kind: 'list',
    tells: 'beginnings of numbers, such as +97798',
    otherwise: 'all of the country',
    none: 'empty',
  },
  types: { kind: 'list', tells: 'message types', otherwise: 'all', none: 'null' },
  priority: { kind: 'number', tells: 'the lowest is first', otherwise: '100' },
  overflow: { kind: 'flag', tells: 'whether the next takes what it has no room for', otherwise: 'no' },
  weight: { kind: 'number', tells: 'its part among those of equal priority; 0 stands by', otherwise: '0' },
}

export const routingCommands: Command[] = [
  { name: 'route add', tells: 'Leads numbers to a carrier', asks: 'POST /routes', options: route },
  {
    name: 'route list',
    tells: 'Lists the routes',
    asks: 'GET /routes',
    options: PAGING,
    columns: ['id', 'country', 'prefixes', 'types', 'carrierId', 'priority', 'overflow', 'weight'],
  },
  { name: 'route change', tells: 'Changes what is named', asks: 'PATCH /routes/{route}', options: changeable(route) },
  { name: 'route remove', tells: 'Removes one', asks: 'DELETE /routes/{route}' },
  {
    name: 'country list',
    tells: 'Lists the countries',
    asks: 'GET /countries',
    columns: ['code', 'name', 'state', 'timeZone', 'quietHours', 'policy'],
  },
  { name: 'country show', tells: 'Shows one', asks: 'GET /countries/{code}' },
  {
    name: 'country set',
    tells: 'Makes or changes one',
    asks: 'PUT /countries/{code}',
    options: {
      name: { kind: 'text', tells: 'such as Nepal', isPlaced: true },
      state: { kind: 'text', tells: 'live, comingSoon or off', isPlaced: true },
      'time-zone': { kind: 'text', tells: 'of its quiet hours', otherwise: 'stays' },
      'quiet-hours': {
        kind: 'hours',
        tells: 'when promotional messages wait, such as 20:00-08:00',
        otherwise: 'stays',
        none: 'null',
      },
      policy: { kind: 'text', tells: 'of its routes: weighted, priority or cheapest', otherwise: 'stays' },
    },
  },
  {
    name: 'country remove',
    tells: 'Removes one that is off',
    asks: 'DELETE /countries/{code}',
  },
]
