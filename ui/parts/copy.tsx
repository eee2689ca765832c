// Text that a click copies: IDs, keys, commands.
import { useState } from 'preact/hooks'
import { inBackground } from '../background.ts'
import { words } from '../words/index.ts'
import css from './copy.module.css'

const SAID_MS = 1_500

interface Props {
  text: string
  /** Shown in place of the text. */
  children?: preact.ComponentChildren
  label?: string
}

export function Copy({ text, children, label }: Props) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    setSaid((await isCopied(text)) ? words.parts.copied : words.parts.copyFailed)
    setTimeout(() => setSaid(''), SAID_MS)
  }
  return (
    <span class={css.copy}>
      <button
        type="button"
        class={`plain mono ${css.text}`}
        onClick={() => inBackground(copy())}
        title={label ?? words.parts.copy}
      >
        {children ?? text}
      </button>
      <span class={css.said} role="status">
        {said}
      </span>
    </span>
  )
}

/** Over plain HTTP browsers have no clipboard, except on localhost. */
async function isCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
