// Secrets that are shown once: closing the dialog removes them from the page.
import { words } from '../words/index.ts'
import { Copy } from './copy.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  title: string
  of: readonly (readonly [name: string, secret: string])[]
  close: () => void
}

export function Secrets({ title, of, close }: Props) {
  return (
    <Dialog title={title} close={close}>
      <p>{words.parts.shownOnce}</p>
      {of.map(([name, secret]) => (
        <div key={name} class="stack">
          <h3>{name}</h3>
          <pre>
            <Copy text={secret} />
          </pre>
        </div>
      ))}
      <div class="row">
        <button type="button" class="primary" onClick={close}>
          {words.parts.done}
        </button>
      </div>
    </Dialog>
  )
}
