// The expressions of the alert rules and of the dashboard.
import { readFileSync } from 'node:fs'

interface Source {
  uid: string
}

interface Panel {
  id: number
  type: string
  title: string
  datasource?: Source
  targets?: { expr: string; datasource: Source }[]
}

interface Dashboard {
  schemaVersion: number
  panels: Panel[]
  templating: { list: { name: string; type: string; query: string }[] }
}

export const DASHBOARD: Dashboard = JSON.parse(readFileSync('deploy/grafana/hulaki.json', 'utf8'))

export const METRIC = /\bhulaki_\w+/g

export function expressionsOf({ panels }: Dashboard): { title: string; expression: string }[] {
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr: expression }) => ({ title, expression })))
}
