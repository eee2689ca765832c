// A message as a phone shows it.
import css from './handset.module.css'

interface Props {
  caption: string
  sender: string
  text: string
  /** The time in the status bar of the phone. */
  time?: string | undefined
  note?: string | undefined
}

export function Handset({ caption, sender, text, time, note }: Props) {
  return (
    <figure class={css.handset}>
      <figcaption class="hidden">{caption}</figcaption>
      <div class={css.phone}>
        <div class={css.glass}>
          <div class={css.bar}>
            <span>{time}</span>
            <i />
            <span />
          </div>
          <p class={`foreign ${css.sender}`}>{sender}</p>
          {text && <p class={`foreign ${css.bubble}`}>{text}</p>}
        </div>
      </div>
      {note && <p class="meta">{note}</p>}
    </figure>
  )
}
