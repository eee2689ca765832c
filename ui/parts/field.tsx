// Forms: a label, a field, a hint, and the error of the field.
import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import { words } from '../words/index.ts'
import { ErrorNote } from './error-note.tsx'
import css from './field.module.css'
import { Icon } from './icon.tsx'

interface FieldProps {
  label: string
  hint?: ComponentChildren
  error?: string | null | undefined
  /** Gets the attributes that connect the field with its label, hint and error. */
  children: (attributes: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ComponentChildren
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const notes = `${id}-notes`
  return (
    <div class={css.field}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': notes, 'aria-invalid': Boolean(error) })}
      <div id={notes} class={css.notes}>
        {error && (
          <p class={css.error}>
            <Icon name="alert" />
            <span class="foreign">{error}</span>
          </p>
        )}
        {hint && <p>{hint}</p>}
      </div>
    </div>
  )
}

export type TextProps = Omit<FieldProps, 'children'> & {
  value: string
  set: (value: string) => void
} & Omit<JSX.IntrinsicElements['input'], 'value' | 'label' | 'children'>

export function TextField({ label, hint, error, value, set, ...rest }: TextProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <input {...attributes} {...rest} value={value} onInput={(event) => set(event.currentTarget.value)} />
      )}
    </Field>
  )
}

type AreaProps = Omit<FieldProps, 'children'> & {
  value: string
  set: (value: string) => void
} & Omit<JSX.IntrinsicElements['textarea'], 'value' | 'label' | 'children'>

export function AreaField({ label, hint, error, value, set, ...rest }: AreaProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <textarea {...attributes} {...rest} value={value} onInput={(event) => set(event.currentTarget.value)} />
      )}
    </Field>
  )
}

interface SelectProps<Value extends string> extends Omit<FieldProps, 'children'> {
  value: Value
  set: (value: Value) => void
  of: readonly (readonly [value: Value, label: string])[]
}

export function SelectField<Value extends string>({ label, hint, error, value, set, of }: SelectProps<Value>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={(event) => set(event.currentTarget.value as Value)}>
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

interface CheckboxProps {
  label: string
  checked: boolean
  set: (checked: boolean) => void
}

export function Checkbox({ label, checked, set }: CheckboxProps) {
  return (
    <label class={css.checkbox}>
      <input type="checkbox" checked={checked} onChange={(event) => set(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}

/** The part of a mutation that a form shows. */
export interface MutationState {
  isPending: boolean
  error: ApiError | null
}

interface FormProps {
  submitLabel: string
  submit: () => void
  mutation?: MutationState
  /** Fields that show their own errors; other errors are shown below the form. */
  fields?: readonly string[]
  isDangerous?: boolean
  /** Where another form of the page has the primary button. */
  isSecondary?: boolean
  /** Closes the form; without it, there is no button to cancel. */
  cancel?: () => void
  cancelLabel?: string | undefined
  /** Shown next to the buttons. */
  beside?: ComponentChildren
  children: ComponentChildren
}

export function Form(props: FormProps) {
  const { submitLabel, submit, mutation, fields = [], isDangerous, isSecondary, cancel, children } = props
  const { isPending = false, error } = mutation ?? {}
  const isShownInFields = error?.details.length && error.details.every(({ path }) => fields.includes(path.join('.')))
  return (
    <form
      class={`stack ${css.form}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isPending) submit()
      }}
    >
      {children}
      {error && !isShownInFields && <ErrorNote error={error} />}
      <div class={css.foot}>
        {props.beside && <div class={css.beside}>{props.beside}</div>}
        {cancel && (
          <button type="button" onClick={cancel}>
            {props.cancelLabel ?? words.parts.cancel}
          </button>
        )}
        <button
          type="submit"
          class={isDangerous ? 'danger' : isSecondary ? undefined : 'primary'}
          aria-disabled={isPending}
        >
          {submitLabel}
        </button>
      </div>
    </form>
  )
}
