// Where several things below each other load together: nothing is shown before all of it, so that nothing moves.
import { words } from '../words/index.ts'
import css from './waiting.module.css'

export function Waiting() {
  return (
    <div class={css.waiting} aria-busy="true">
      <span class="hidden">{words.shell.loading}</span>
    </div>
  )
}
