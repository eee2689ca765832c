// Asks before an action that cannot be undone: the effect, a button that names the action, and the name to type where one is given.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { words } from '../words/index.ts'
import { Dialog } from './dialog.tsx'
import { Form, type MutationState, TextField } from './field.tsx'

interface Props {
  title: string
  effect: ComponentChildren
  /** The label of the button, where it is not the title. */
  submitLabel?: string
  /** The label of the button that closes the dialog. */
  cancelLabel?: string
  /** The text to type. */
  name?: string
  submit: () => void
  mutation: MutationState
  isDangerous?: boolean
  /** Shown next to the buttons. */
  beside?: ComponentChildren
  close: () => void
}

export function Confirm(props: Props) {
  const { title, effect, submitLabel = title, name, submit, mutation, isDangerous = true, close } = props
  const { cancelLabel, beside } = props
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string | null>(null)
  const check = () => {
    if (name === undefined || typed.trim() === name.trim()) submit()
    else setError(words.parts.typedWrong)
  }
  const form = { submitLabel, submit: check, mutation, isDangerous, cancel: close, cancelLabel, beside }
  return (
    <Dialog title={title} close={close}>
      <Form {...form}>
        <div>{effect}</div>
        {name !== undefined && (
          <TextField
            label={words.parts.typeToConfirm(name)}
            value={typed}
            set={setTyped}
            error={error}
            autoComplete="off"
          />
        )}
      </Form>
    </Dialog>
  )
}
