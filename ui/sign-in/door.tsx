// The frame of what is shown to who is not in yet.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import css from './door.module.css'

export function Door({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Hulaki`
  }, [title])
  return (
    <main class={css.door}>
      <p class={css.name}>Hulaki</p>
      <div class="card stack">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}
