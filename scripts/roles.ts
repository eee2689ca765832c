// Writes the table of roles in docs/reference/management.md anew, from the routes as they are mounted: `npm run generate -- roles`.
import { readFileSync, writeFileSync } from 'node:fs'
import type { Ports } from '../src/actions/ports.ts'
import { EVERY_ROLE } from '../src/domain/people/permission.ts'
import { mountedRoutes } from '../test/harness/mounted-routes.ts'

const FILE = 'docs/reference/management.md'
const HEAD = ['Call', 'anybody', ...EVERY_ROLE, 'Fresh', 'Works on']

const { routes } = await mountedRoutes({} as Ports)
const rows = routes.map(({ method, path, permission: { roles, fresh, scope } }) => {
  const may = HEAD.slice(1, -2).map((role) => (roles.some((it) => it === role) ? 'yes' : ''))
  return [`\`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``, ...may, fresh ? 'yes' : '', scope]
})
const line = (cells: string[]) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`
const table = [line(HEAD), `|${HEAD.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
const [before = '', section = ''] = readFileSync(FILE, 'utf8').split(/(?<=## Roles\n)/)
const words = section.split('\n').filter((it) => !it.startsWith('|'))
writeFileSync(FILE, `${before}${words.join('\n').trimEnd()}\n\n${table}\n`)
