// Asks before an action that cannot be undone, without typing: the effect, and a button that names the action.
import type { ComponentChildren } from 'preact'
import type { Fault } from '../api/fault.ts'
import { Dialog } from './dialog.tsx'
import { Form } from './field.tsx'

interface Props {
  title: string
  /** The label of the button. */
  act: string
  submit: () => void
  isBusy: boolean
  fault: Fault | null
  isDangerous?: boolean
  close: () => void
  /** The effect. */
  children: ComponentChildren
}

export function Sure({ title, act, submit, isBusy, fault, isDangerous = false, close, children }: Props) {
  return (
    <Dialog title={title} close={close}>
      <Form act={act} submit={submit} isBusy={isBusy} fault={fault} isDangerous={isDangerous} cancel={close}>
        {children}
      </Form>
    </Dialog>
  )
}
