// Secrets that are shown once: only Done closes the dialog and removes them from the page.
import { words } from '../words/index.ts'
import { CopyButton } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'
import css from './secret.module.css'

interface Secret {
  label: string
  value: string
  hint?: string
  /** The name of its environment variable. */
  variable?: string
}

interface Props {
  title: string
  about?: string
  of: readonly Secret[]
  close: () => void
}

export function Secrets({ title, about, of, close }: Props) {
  const lines = of.flatMap(({ variable, value }) => (variable ? [`${variable}=${value}`] : []))
  const file = lines.map((line) => `${line}\n`).join('')
  return (
    <Dialog title={title} close={null}>
      <p class="quiet">
        {about && `${about} `}
        {words.parts.shownOnce}
      </p>
      {of.map(({ label, value, hint }) => (
        <div key={label} class={css.field}>
          <h3>{label}</h3>
          <div class={css.secret}>
            <code>{value}</code>
            <CopyButton text={value} of={label} />
          </div>
          {hint && <p class="meta">{hint}</p>}
        </div>
      ))}
      {lines.length > 0 && (
        <div class="row">
          <CopyButton text={file} label={words.parts.copyEnv} />
          <a class="button" href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`} download="hulaki.env">
            <Icon name="download" />
            {words.parts.downloadEnv}
          </a>
        </div>
      )}
      <div class={css.foot}>
        <span class="meta">{words.parts.notAgain}</span>
        <button type="button" class="primary" onClick={close}>
          {words.parts.done}
        </button>
      </div>
    </Dialog>
  )
}
