// What doctor found: what is bad, then what to look at, each with the sentence of the service; what is well is only counted.
import { Link } from 'wouter-preact'
import type { Finding } from '../api/calls.ts'
import { count } from '../parts/format.ts'
import { Status } from '../parts/status.tsx'
import { words } from '../words/index.ts'
import css from './now.module.css'

const TONES = { bad: 'bad', look: 'doubtful', well: 'good' } as const

export function Findings({ findings }: { findings: readonly Finding[] }) {
  const [bad, look, well] = (['bad', 'look', 'well'] as const).map((state) =>
    findings.filter((it) => it.state === state),
  )
  const open = [...(bad ?? []), ...(look ?? [])]
  return (
    <section class="card stack">
      <h2>{words.now.findings}</h2>
      {open.length === 0 && <Status tone="good">{words.now.allWell}</Status>}
      {open.length > 0 && (
        <ul class="stack">
          {open.map(({ state, code, what, about }) => (
            <li key={`${code} ${about?.id}`} class={css.finding}>
              <Status tone={TONES[state]}>{words.now.finding[code]}</Status>
              <span class="quiet foreign">{what}</span>
              {about && about.kind !== 'country' && (
                <Link href={about.kind === 'carrier' ? `/carriers/${about.id}` : `/workspaces/${about.id}`}>
                  <span class="foreign">{about.name}</span>
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
      {well && well.length > 0 && open.length > 0 && <p class="quiet">{words.now.wellToo(count(well.length))}</p>}
    </section>
  )
}
