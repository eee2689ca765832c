// Asks before an action that cannot be undone: the effect, and the name to type.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Fault } from '../api/fault.ts'
import { words } from '../words/index.ts'
import { Dialog } from './dialog.tsx'
import { Form, TextField } from './field.tsx'

interface Props {
  title: string
  /** The effect. */
  effect: ComponentChildren
  /** The text to type. */
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
  const check = () => {
    if (typed.trim() === name.trim()) submit()
    else setWrong(words.parts.typedWrong)
  }
  return (
    <Dialog title={title} close={close}>
      <div>{effect}</div>
      <Form act={act} submit={check} isBusy={isBusy} fault={fault} isDangerous cancel={close}>
        <TextField
          label={words.parts.typeToConfirm(name)}
          value={typed}
          set={setTyped}
          wrong={wrong}
          autoComplete="off"
        />
      </Form>
    </Dialog>
  )
}
