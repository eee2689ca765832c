// The main figures in a row. A figure that still loads keeps its space.
import type { ComponentChildren } from 'preact'
import css from './figures.module.css'

export function Figures({
  of,
}: {
  of: readonly (readonly [name: string, value: ComponentChildren, about?: ComponentChildren])[]
}) {
  return (
    <dl class={`card ${css.figures}`}>
      {of.map(([name, value, about]) => (
        <div key={name}>
          <dt class="quiet">{name}</dt>
          <dd>
            <span class={css.value}>{value ?? '–'}</span> <span class="quiet">{about}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}
