// The settings that carriers want otherwise now and then: seen in groups, changed as JSON; secrets only go in.
import { useState } from 'preact/hooks'
import type { Carrier, CarrierChange } from '../api/calls.ts'
import { useAct } from '../api/use.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { Form } from '../parts/field.tsx'
import { isShownInJson, JsonField } from '../parts/json-field.tsx'
import { readJson } from '../parts/json-place.ts'
import { words } from '../words/index.ts'
import { Callback } from './callback.tsx'
import css from './carriers.module.css'
import { CarrierSecrets } from './secrets.tsx'
import { factsOf, type GroupName, groupsOf } from './setting-groups.ts'
import { TlsKey } from './tls-key.tsx'

const LONGEST = 300
export const TOUCHES = ['listCarriers', 'getCarrier', 'getNow'] as const

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
      <div class="row">
        <h2>{words.settings.groups[name]}</h2>
        <button
          type="button"
          class="push"
          aria-label={`${words.carriers.edit}: ${words.settings.groups[name]}`}
          onClick={() => setOpen(true)}
        >
          {words.carriers.edit}
        </button>
      </div>
      {name === 'http' ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre class={`foreign ${css.json}`} tabIndex={0}>
          {text}
        </pre>
      ) : (
        <Facts of={factsOf(change).map(([setting, value]) => [setting, <Value key={setting} of={value} />])} />
      )}
      {isOpen && <Edit carrierId={carrierId} name={name} before={text} close={() => setOpen(false)} />}
    </section>
  )
}

/** What is long, such as a certificate, is cut: it is whole where it is changed. */
function Value({ of }: { of: unknown }) {
  const text = typeof of === 'string' && of !== '' ? of : JSON.stringify(of)
  return <span class="mono foreign">{text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}</span>
}

interface EditProps {
  carrierId: string
  name: GroupName
  before: string
  close: () => void
}

function Edit({ carrierId: id, name, before, close }: EditProps) {
  const [text, setText] = useState(before)
  const [isJudged, setJudged] = useState(false)
  const change = useAct('changeCarrier', TOUCHES)
  const submit = () => {
    setJudged(true)
    const read = readJson(text)
    if (read.ok) change.mutate({ params: { id }, body: read.value as CarrierChange }, { onSuccess: close })
  }
  return (
    <Dialog title={words.settings.groups[name]} close={close} isWide>
      <Form
        act={words.carriers.save}
        submit={submit}
        isBusy={change.isPending}
        fault={isShownInJson(change.error) ? null : change.error}
        cancel={close}
      >
        <JsonField
          label={words.settings.json}
          hint={words.settings.hint}
          value={text}
          set={(next) => {
            setText(next)
            setJudged(false)
          }}
          isJudged={isJudged}
          fault={change.error}
        />
      </Form>
    </Dialog>
  )
}
