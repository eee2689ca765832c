// A placeholder while several parts load together, so that nothing moves.
import { words } from '../words/index.ts'
import css from './waiting.module.css'

export function Waiting() {
  return (
    <div class={css.waiting} aria-busy="true">
      <span class="hidden">{words.shell.loading}</span>
    </div>
  )
}
