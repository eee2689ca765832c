// Before what cannot be undone: what will happen, and the name of the thing, typed.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Fault } from '../api/fault.ts'
import { words } from '../words/index.ts'
import { Dialog } from './dialog.tsx'
import { Form, TextField } from './field.tsx'

interface Props {
  title: string
  /** What will happen. */
  effect: ComponentChildren
  /** What has to be typed. */
  name: string
  act: string
  submit: () => void
  isBusy: boolean
  fault: Fault | null
  close: () => void
}

export function Confirm({ title, effect, name, act, submit, isBusy, fault, close }: Props) {
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const judge = () => {
    if (typed.trim() === name.trim()) submit()
    else setWrong(words.parts.typeTheName)
  }
  return (
    <Dialog title={title} close={close}>
      <div>{effect}</div>
      <Form act={act} submit={judge} isBusy={isBusy} fault={fault} isDangerous cancel={close}>
        <TextField
          label={words.parts.typeTheName}
          hint={<code class="foreign">{name}</code>}
          value={typed}
          set={setTyped}
          wrong={wrong}
          autoComplete="off"
        />
      </Form>
    </Dialog>
  )
}
