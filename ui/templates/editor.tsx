// The template editor: errors, variables, segments and price while the user types.
import { useRef, useState } from 'preact/hooks'
import { parseTemplate } from '../../src/domain/templates/template.ts'
import type { Template } from '../api/calls.ts'
import { useAction, useCall } from '../api/use.ts'
import { useWorkspace } from '../caller.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Field, Form, SelectField, TextField } from '../parts/field.tsx'
import { words } from '../words/index.ts'
import { Counter } from './counter.tsx'
import { render } from './render.ts'
import css from './templates.module.css'

interface Props {
  /** The template to duplicate. */
  like: Template | undefined
  close: () => void
}

const VARIABLE = '{{variable}}'
const MAX_CHARACTERS = 1000

export function Editor({ like, close }: Props) {
  const { id } = useWorkspace()
  const { data: workspace } = useCall('getWorkspace', { params: { id } })
  const [name, setName] = useState(like?.name ?? '')
  const [type, setType] = useState<Template['type']>(like?.type ?? 'transactional')
  const [text, setText] = useState(like?.text ?? '')
  const [samples, setSamples] = useState<Record<string, string>>({})
  const act = useAction('submitTemplate', ['listWorkspaceTemplates'])
  const parsed = parseTemplate(text)
  const variables = parsed.ok ? [...new Set(parsed.template.variables)] : []
  const error = act.error?.of('text') ?? (text === '' || parsed.ok ? null : words.templates.errors[parsed.why])
  const submit = () => act.mutate({ params: { id }, body: { name, type, text } }, { onSuccess: close })
  return (
    <Dialog title={words.templates.write} close={close}>
      <Form
        submitLabel={words.templates.submit}
        submit={submit}
        mutation={act}
        fields={['name', 'text', 'type']}
        cancel={close}
      >
        <TextField
          label={words.common.name}
          value={name}
          set={setName}
          error={act.error?.of('name')}
          maxLength={100}
          autoComplete="off"
        />
        <SelectField
          label={words.common.type}
          value={type}
          set={setType}
          of={(workspace?.allowedTypes ?? [type]).map((it) => [it, words.types[it]] as const)}
        />
        <TemplateTextField text={text} set={setText} error={error} />
        {variables.length > 0 && <Samples of={variables} values={samples} set={setSamples} />}
        <Counter text={parsed.ok ? render(parsed.template, samples) : text} type={type} workspace={workspace} />
        <p class="quiet">{words.templates.reviewNext}</p>
      </Form>
    </Dialog>
  )
}

interface TextProps {
  text: string
  set: (text: string) => void
  error: string | null
}

function TemplateTextField({ text, set, error }: TextProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const insert = () => {
    const at = area.current?.selectionStart ?? text.length
    set(text.slice(0, at) + VARIABLE + text.slice(area.current?.selectionEnd ?? at))
    area.current?.focus()
  }
  return (
    <>
      <Field label={words.templates.text} hint={words.templates.textHint} error={error}>
        {(attributes) => (
          <textarea
            {...attributes}
            ref={area}
            rows={4}
            maxLength={MAX_CHARACTERS}
            value={text}
            onInput={(event) => set(event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="row">
        <button type="button" onClick={insert}>
          {words.templates.insert}
        </button>
      </div>
    </>
  )
}

interface SamplesProps {
  of: readonly string[]
  values: Record<string, string>
  set: (values: Record<string, string>) => void
}

/** Sample values of the variables, used to count segments. */
function Samples({ of, values, set }: SamplesProps) {
  return (
    <fieldset class="stack">
      <legend class={`quiet ${css.legend}`}>{words.templates.samples}</legend>
      <div class={css.samples}>
        {of.map((name) => (
          <label key={name} class={css.sample}>
            <span class={css.chip}>{name}</span>
            <input
              value={values[name] ?? ''}
              placeholder={name}
              maxLength={100}
              onInput={(event) => set({ ...values, [name]: event.currentTarget.value })}
            />
          </label>
        ))}
      </div>
    </fieldset>
  )
}
