// The text of a template, its variables as chips.
import css from './template-text.module.css'

export function TemplateText({ text }: { text: string }) {
  const parts = text.split(/\{\{([^{}]*)\}\}/)
  return (
    <p class={`foreign ${css.text}`}>
      {parts.map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <span key={index} class={css.chip}>
            {part.trim()}
          </span>
        ),
      )}
    </p>
  )
}
