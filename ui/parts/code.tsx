// A block of code with a button that copies it, and coloured words.
import type { ComponentChildren } from 'preact'
import css from './code.module.css'
import { CopyButton } from './copy.tsx'

interface Props {
  title?: string
  text: string
  /** Between the title and the button, such as tabs of languages. */
  children?: ComponentChildren
}

export function Code({ title, text, children }: Props) {
  return (
    <section class={css.code}>
      <div class={css.bar}>
        {title && <h2>{title}</h2>}
        <div class={css.between}>{children}</div>
        <CopyButton text={text} />
      </div>
      <pre>{colour(text)}</pre>
    </section>
  )
}

/** Comments, strings, keywords and options of curl, TypeScript and Python: enough for short examples. */
const TOKEN =
  /(?<note>(?:^|(?<= ))(?:#|\/\/) .*)|(?<text>"[^"\n]*"|'[^'\n]*'|`[^`]*`)|(?<word>\b(?:export|import|from|const|await|async|def|return|with|as|curl)\b)|(?<flag>(?<= )-{1,2}[\w-]+)/gm

function colour(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = []
  let from = 0
  for (const match of text.matchAll(TOKEN)) {
    const kind = (['note', 'text', 'word', 'flag'] as const).find((name) => match.groups?.[name] !== undefined)
    parts.push(text.slice(from, match.index), <span class={kind && css[kind]}>{match[0]}</span>)
    from = match.index + match[0].length
  }
  return [...parts, text.slice(from)]
}
