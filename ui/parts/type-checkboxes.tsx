// A checkbox for each message type.
import { words } from '../words/index.ts'
import { Checkbox } from './field.tsx'
import { capitalize } from './format.ts'
import { MESSAGE_TYPES, type MessageType } from './message-types.ts'

interface Props {
  offered?: readonly MessageType[]
  chosen: readonly MessageType[]
  set: (types: MessageType[]) => void
}

export function TypeCheckboxes({ offered = MESSAGE_TYPES, chosen, set }: Props) {
  return (
    <div class="row">
      {offered.map((type) => (
        <Checkbox
          key={type}
          label={capitalize(words.types[type])}
          checked={chosen.includes(type)}
          set={(isOn) => set(MESSAGE_TYPES.filter((it) => (it === type ? isOn : chosen.includes(it))))}
        />
      ))}
    </div>
  )
}
