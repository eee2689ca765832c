// The initials of a person or a workspace.
import css from './avatar.module.css'

export function Avatar({ name, isRound = false }: { name: string; isRound?: boolean }) {
  return (
    <span class={isRound ? `${css.avatar} ${css.round}` : css.avatar} aria-hidden="true">
      {initialsOf(name)}
    </span>
  )
}

function initialsOf(name: string): string {
  const parts = name.split(/\s+/).filter((part) => /^[\p{L}\p{N}]/u.test(part))
  const [first = '', second] = parts
  // A letter may be several code points, for example with a vowel sign.
  const letters = (text: string) => Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
  const initials =
    second === undefined ? letters(first).slice(0, 2) : [first, second].flatMap((it) => letters(it)[0] ?? [])
  return initials.join('').toLocaleUpperCase() || '–'
}
