// The frame of the pages before the sign-in.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Logo } from '../parts/icon.tsx'
import css from './sign-in-page.module.css'

export function SignInPage({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Hulaki`
  }, [title])
  return (
    <main class={css.page}>
      <p class={css.name}>
        <Logo />
        Hulaki
      </p>
      <div class="card stack">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}
