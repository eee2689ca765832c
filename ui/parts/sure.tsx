// Before what cannot be undone, where a name would be too much to type: what will happen, and a button that says it.
import type { ComponentChildren } from 'preact'
import type { Fault } from '../api/fault.ts'
import { words } from '../words/index.ts'
import { Dialog } from './dialog.tsx'
import { Form } from './field.tsx'

interface Props {
  title: string
  /** What the button says. */
  act: string
  submit: () => void
  isBusy: boolean
  fault: Fault | null
  isDangerous?: boolean
  close: () => void
  /** What will happen. */
  children: ComponentChildren
}

export function Sure({ title, act, submit, isBusy, fault, isDangerous = false, close, children }: Props) {
  return (
    <Dialog title={title} close={close}>
      <Form
        act={act}
        submit={submit}
        isBusy={isBusy}
        fault={fault}
        isDangerous={isDangerous}
        cancel={close}
        cancelSays={words.parts.leave}
      >
        {children}
      </Form>
    </Dialog>
  )
}
