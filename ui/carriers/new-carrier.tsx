// The dialog for a new carrier: SMPP, the preset of an HTTP provider (D63), or a custom HTTP description (D48).
import { useState } from 'preact/hooks'
import type { CarrierPreset } from '../api/calls.ts'
import { Dialog } from '../parts/dialog.tsx'
import { words } from '../words/index.ts'
import { CarrierForm } from './carrier-form.tsx'
import { DescribedForm } from './described-form.tsx'
import { PresetForm } from './preset-form.tsx'

const SMPP = 'smpp'
const DESCRIBED = 'http'

interface Props {
  /** Loaded before the dialog opens, so that nothing moves in it. */
  presets: readonly CarrierPreset[]
  close: () => void
}

export function NewCarrier({ presets, close }: Props) {
  const [kind, setKind] = useState(SMPP)
  const chosen = presets.find(({ name }) => `preset ${name}` === kind)
  const kinds: [string, string][] = [
    [SMPP, 'SMPP'],
    ...presets.map(({ name, title }): [string, string] => [`preset ${name}`, title]),
    [DESCRIBED, words.newCarrier.described],
  ]
  return (
    <Dialog title={words.carriers.add} close={close} isWide>
      <fieldset class="row">
        <legend class="hidden">{words.newCarrier.kind}</legend>
        {kinds.map(([it, name]) => (
          <button key={it} type="button" aria-pressed={kind === it} onClick={() => setKind(it)}>
            {name}
          </button>
        ))}
      </fieldset>
      {kind === SMPP && <CarrierForm close={close} />}
      {kind === DESCRIBED && <DescribedForm close={close} />}
      {chosen && <PresetForm key={chosen.name} preset={chosen} close={close} />}
    </Dialog>
  )
}
