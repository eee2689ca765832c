// A link that works once: shown to be handed on, or told that it was mailed.
import { Dialog } from '../parts/dialog.tsx'
import { Secrets } from '../parts/secret.tsx'
import { words } from '../words/index.ts'

export function HandOver({ title, link, close }: { title: string; link: string | null; close: () => void }) {
  if (link !== null) return <Secrets title={title} of={[[words.team.handOver, link]]} close={close} />
  return (
    <Dialog title={title} close={close}>
      <p>{words.team.mailed}</p>
    </Dialog>
  )
}
