// The advanced settings of a carrier: shown in groups, edited as JSON.
import { useState } from 'preact/hooks'
import type { Carrier, CarrierChange } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { Form } from '../parts/field.tsx'
import { JsonField, withoutJsonErrors } from '../parts/json-field.tsx'
import { readJson } from '../parts/json-place.ts'
import { SectionHead } from '../parts/page.tsx'
import { mono } from '../parts/text.tsx'
import { words } from '../words/index.ts'
import { Callback } from './callback.tsx'
import css from './carriers.module.css'
import { CarrierSecrets } from './secrets.tsx'
import { factsOf, type GroupName, groupsOf } from './setting-groups.ts'
import { TlsKey } from './tls-key.tsx'

const MAX_CHARACTERS = 300
const RELOADS = ['listCarriers', 'getCarrier', 'getNow'] as const

export function Settings({ carrier }: { carrier: Carrier }) {
  const isHttp = carrier.kind === 'http'
  return (
    <div class="stack">
      <p class="quiet">
        {isHttp ? words.settings.aboutHttp : words.settings.about}{' '}
        <a href={isHttp ? '/docs/reference/http-carriers' : '/docs/reference/carriers'}>{words.settings.manual}</a>
      </p>
      {carrier.kind === 'http' && (
        <div class={css.one}>
          <CarrierSecrets carrier={carrier} />
          <Callback carrier={carrier} />
        </div>
      )}
      <div class={isHttp ? 'stack' : css.one}>
        {groupsOf(carrier).map(([name, change]) => (
          <Group key={name} carrierId={carrier.id} name={name} change={change} />
        ))}
        {carrier.kind === 'smpp' && <TlsKey carrier={carrier} />}
      </div>
    </div>
  )
}

interface GroupProps {
  carrierId: string
  name: GroupName
  change: CarrierChange
}

function Group({ carrierId, name, change }: GroupProps) {
  const [isOpen, setOpen] = useState(false)
  const text = JSON.stringify(change, null, 2)
  return (
    <section class={`card stack ${css.group}`} aria-label={words.settings.groups[name]}>
      <SectionHead title={words.settings.groups[name]}>
        <button
          type="button"
          aria-label={`${words.carriers.edit}: ${words.settings.groups[name]}`}
          onClick={() => setOpen(true)}
        >
          {words.carriers.edit}
        </button>
      </SectionHead>
      {name === 'http' ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre class={`foreign ${css.json}`} tabIndex={0}>
          {text}
        </pre>
      ) : (
        <Facts of={factsOf(change).map(([setting, value]) => [setting, <Value key={setting} of={value} />])} />
      )}
      {isOpen && <EditGroup carrierId={carrierId} name={name} initial={text} close={() => setOpen(false)} />}
    </section>
  )
}

/** A long value, such as a certificate, is cut off here; the editor has all of it. */
function Value({ of }: { of: unknown }) {
  const text = typeof of === 'string' && of !== '' ? of : JSON.stringify(of)
  return mono(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text)
}

interface EditProps {
  carrierId: string
  name: GroupName
  initial: string
  close: () => void
}

function EditGroup({ carrierId: id, name, initial, close }: EditProps) {
  const [text, setText] = useState(initial)
  const [isSubmitted, setSubmitted] = useState(false)
  const change = useAction('changeCarrier', RELOADS)
  const submit = () => {
    setSubmitted(true)
    const read = readJson(text)
    if (read.ok) change.mutate({ params: { id }, body: read.value as CarrierChange }, { onSuccess: close })
  }
  return (
    <Dialog title={words.settings.groups[name]} close={close} shape="wide">
      <Form submitLabel={words.common.save} submit={submit} mutation={withoutJsonErrors(change)} cancel={close}>
        <JsonField
          label={words.settings.json}
          hint={words.settings.hint}
          value={text}
          set={(next) => {
            setText(next)
            setSubmitted(false)
          }}
          isSubmitted={isSubmitted}
          error={change.error}
        />
      </Form>
    </Dialog>
  )
}
