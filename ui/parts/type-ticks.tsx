// Message types to tick: those that a workspace or a client may send.
import { words } from '../words/index.ts'
import { Tick } from './field.tsx'
import { MESSAGE_TYPES, type MessageType } from './message-types.ts'

interface Props {
  offered?: readonly MessageType[]
  chosen: readonly MessageType[]
  set: (types: MessageType[]) => void
}

export function TypeTicks({ offered = MESSAGE_TYPES, chosen, set }: Props) {
  return (
    <div class="row">
      {offered.map((type) => (
        <Tick
          key={type}
          label={words.types[type]}
          checked={chosen.includes(type)}
          set={(isTicked) => set(MESSAGE_TYPES.filter((it) => (it === type ? isTicked : chosen.includes(it))))}
        />
      ))}
    </div>
  )
}
