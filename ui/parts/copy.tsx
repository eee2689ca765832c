// Text that a click copies: IDs in rows, and a button beside keys and commands.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { inBackground } from '../background.ts'
import { words } from '../words/index.ts'
import css from './copy.module.css'
import { Icon } from './icon.tsx'

const NOTICE_MS = 1_500

interface Props {
  text: string
  /** Shown in place of the text. */
  children?: ComponentChildren
  label?: string
}

export function Copy({ text, children, label }: Props) {
  const { state, copy } = useCopy(text)
  return (
    <span class={css.copy}>
      <button type="button" class={`plain mono ${css.text}`} onClick={copy} title={label ?? words.parts.copy}>
        {children ?? text}
        <Icon name="copy" />
      </button>
      <span class={css.notice} role="status">
        {state === null ? '' : noticeOf(state)}
      </span>
    </span>
  )
}

interface ButtonProps {
  text: string
  /** The name of the copied text, for screen readers where a page has several buttons. */
  of?: string
  label?: string
}

export function CopyButton({ text, of, label = words.parts.copy }: ButtonProps) {
  const { state, copy } = useCopy(text)
  return (
    <>
      <button type="button" class={state === 'copied' ? css.copied : undefined} onClick={copy}>
        <Icon name={state === 'copied' ? 'check' : 'copy'} />
        <span>{state === null ? label : noticeOf(state)}</span>
        {of && <span class="hidden">{of}</span>}
      </button>
      {/* Beside the button: a status within it would be no part of its name. */}
      <span class="hidden" role="status">
        {state === null ? '' : noticeOf(state)}
      </span>
    </>
  )
}

type CopyState = 'copied' | 'failed' | null

function noticeOf(state: 'copied' | 'failed'): string {
  return state === 'copied' ? words.parts.copied : words.parts.copyFailed
}

function useCopy(text: string): { state: CopyState; copy: () => void } {
  const [state, setState] = useState<CopyState>(null)
  const copy = async () => {
    setState((await copyText(text)) ? 'copied' : 'failed')
    setTimeout(() => setState(null), NOTICE_MS)
  }
  return { state, copy: () => inBackground(copy()) }
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
