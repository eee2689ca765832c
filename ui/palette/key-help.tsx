// The dialog that `?` opens: the current shortcuts.
import { Dialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { listKeys } from '../parts/keys.ts'
import { words } from '../words/index.ts'

export function KeyHelp({ close }: { close: () => void }) {
  return (
    <Dialog title={words.shell.keys} close={close}>
      <Facts of={[...listKeys()].map(([key, label]) => [label, <kbd key={key}>{key}</kbd>])} />
    </Dialog>
  )
}
