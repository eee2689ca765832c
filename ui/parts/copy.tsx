// Text that a click copies: IDs, keys, commands.
import { useState } from 'preact/hooks'
import { inBackground } from '../background.ts'
import { words } from '../words/index.ts'
import css from './copy.module.css'

const NOTICE_MS = 1_500

interface Props {
  text: string
  /** Shown in place of the text. */
  children?: preact.ComponentChildren
  label?: string
}

export function Copy({ text, children, label }: Props) {
  const [notice, setNotice] = useState('')
  const copy = async () => {
    setNotice((await copyText(text)) ? words.parts.copied : words.parts.copyFailed)
    setTimeout(() => setNotice(''), NOTICE_MS)
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
      <span class={css.notice} role="status">
        {notice}
      </span>
    </span>
  )
}

/** False over plain HTTP, where browsers have a clipboard only on localhost. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
