// `?`: the keys that work here.
import { words } from '../words/index.ts'
import { Dialog } from './dialog.tsx'
import { Facts } from './facts.tsx'
import { knownKeys } from './keys.ts'

export function KeyHelp({ close }: { close: () => void }) {
  return (
    <Dialog title={words.shell.keys} close={close}>
      <Facts of={knownKeys().map(([key, label]) => [label, <kbd key={key}>{key}</kbd>])} />
    </Dialog>
  )
}
