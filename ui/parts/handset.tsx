// A message as a phone shows it.
import css from './handset.module.css'

interface Props {
  caption: string
  sender: string
  text: string
  note?: string | undefined
}

export function Handset({ caption, sender, text, note }: Props) {
  return (
    <figure class={css.handset}>
      <figcaption class="quiet">{caption}</figcaption>
      <div class={css.glass}>
        <p class={`foreign ${css.sender}`}>{sender}</p>
        {text && <p class={`foreign ${css.bubble}`}>{text}</p>}
      </div>
      {note && <p class="quiet">{note}</p>}
    </figure>
  )
}
