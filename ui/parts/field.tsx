// Forms: a label, a field, a hint, and the error of the field.
import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { Fault } from '../api/fault.ts'
import { words } from '../words/index.ts'
import { FaultNote } from './fault.tsx'
import css from './field.module.css'

interface FieldProps {
  label: string
  hint?: ComponentChildren
  /** The error. */
  wrong?: string | null | undefined
  /** Gets the attributes that connect the field with its label, hint and error. */
  children: (ties: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ComponentChildren
}

export function Field({ label, hint, wrong, children }: FieldProps) {
  const id = useId()
  const notes = `${id}-notes`
  return (
    <div class={css.field}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': notes, 'aria-invalid': Boolean(wrong) })}
      <div id={notes} class={css.notes}>
        {wrong && <p class="bad foreign">{wrong}</p>}
        {hint && <p class="quiet">{hint}</p>}
      </div>
    </div>
  )
}

export type TextProps = Omit<FieldProps, 'children'> & {
  value: string
  set: (value: string) => void
} & Omit<JSX.IntrinsicElements['input'], 'value' | 'label' | 'children'>

export function TextField({ label, hint, wrong, value, set, ...rest }: TextProps) {
  return (
    <Field label={label} hint={hint} wrong={wrong}>
      {(ties) => <input {...ties} {...rest} value={value} onInput={(event) => set(event.currentTarget.value)} />}
    </Field>
  )
}

interface ChoiceProps<Value extends string> extends Omit<FieldProps, 'children'> {
  value: Value
  set: (value: Value) => void
  of: readonly (readonly [value: Value, label: string])[]
}

export function ChoiceField<Value extends string>({ label, hint, wrong, value, set, of }: ChoiceProps<Value>) {
  return (
    <Field label={label} hint={hint} wrong={wrong}>
      {(ties) => (
        <select {...ties} value={value} onChange={(event) => set(event.currentTarget.value as Value)}>
          {of.map(([it, name]) => (
            <option key={it} value={it}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface TickProps {
  label: string
  checked: boolean
  set: (checked: boolean) => void
}

export function Tick({ label, checked, set }: TickProps) {
  return (
    <label class={css.tick}>
      <input type="checkbox" checked={checked} onChange={(event) => set(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}

interface FormProps {
  /** The label of the button. */
  act: string
  submit: () => void
  isBusy: boolean
  fault: Fault | null
  /** Fields that show their own errors; other errors are shown below the form. */
  fields?: readonly string[]
  isDangerous?: boolean
  cancel?: () => void
  children: ComponentChildren
}

export function Form(props: FormProps) {
  const { act, submit, isBusy, fault, fields = [], isDangerous, cancel, children } = props
  const isShownInFields = fault?.details.length && fault.details.every(({ path }) => fields.includes(path.join('.')))
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) submit()
      }}
    >
      {children}
      {fault && !isShownInFields && <FaultNote fault={fault} />}
      <div class="row">
        <button type="submit" class={isDangerous ? 'danger' : 'primary'} aria-disabled={isBusy}>
          {act}
        </button>
        {cancel && (
          <button type="button" onClick={cancel}>
            {words.parts.cancel}
          </button>
        )}
      </div>
    </form>
  )
}
