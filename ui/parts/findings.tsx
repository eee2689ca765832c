// The issues that the health check found: problems first, then warnings.
import { Link } from 'wouter-preact'
import type { Finding } from '../api/calls.ts'
import { words } from '../words/index.ts'
import css from './findings.module.css'
import { capitalize, count } from './format.ts'
import { Status } from './status.tsx'

const TONES = { error: 'bad', warning: 'warn', ok: 'good' } as const

/** Issues of the whole service; passing checks are only counted. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  const open = openOnes(findings)
  const passing = findings.length - open.length
  return (
    <section class="card stack">
      <h2>{words.now.findings}</h2>
      {open.length === 0 && <Status tone="good">{words.now.allGood}</Status>}
      {open.length > 0 && <List findings={open} />}
      {passing > 0 && open.length > 0 && <p class="quiet">{words.now.checksPassing(passing, count(passing))}</p>}
    </section>
  )
}

/** Issues of one carrier; nothing where there are none. */
export function FindingsOn({ id, findings }: { id: string; findings: readonly Finding[] }) {
  const open = openOnes(findings).filter(({ about }) => about?.id === id)
  if (open.length === 0) return null
  return (
    <section class="card stack">
      <h2>{words.now.findings}</h2>
      <List findings={open.map((it) => ({ ...it, about: null }))} />
    </section>
  )
}

function openOnes(findings: readonly Finding[]): Finding[] {
  return (['error', 'warning'] as const).flatMap((state) => findings.filter((it) => it.state === state))
}

function List({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul class="stack">
      {findings.map(({ state, code, what, about }) => (
        <li key={`${code} ${about?.id}`} class={css.finding}>
          <span class="row">
            <Status tone={TONES[state]}>{words.now.finding[code]}</Status>
            {about && about.kind !== 'country' && (
              <Link href={about.kind === 'carrier' ? `/carriers/${about.id}` : `/workspaces/${about.id}`}>
                <span class="foreign">{about.name}</span>
              </Link>
            )}
          </span>
          <span class="quiet foreign">{capitalize(what)}</span>
        </li>
      ))}
    </ul>
  )
}
