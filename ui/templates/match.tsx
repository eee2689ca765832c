// Tests whether a text matches a template, by the rule of sending, and marks the first difference.
import { useState } from 'preact/hooks'
import type { Template, TextMatch } from '../api/calls.ts'
import { useAction, useCall } from '../api/use.ts'
import { useWorkspace } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { AreaField, Form, SelectField } from '../parts/field.tsx'
import { Status } from '../parts/status.tsx'
import { words } from '../words/index.ts'
import { Counter } from './counter.tsx'
import css from './templates.module.css'

const MAX_CHARACTERS = 2000

export function Match() {
  const { id } = useWorkspace()
  const { data: workspace } = useCall('getWorkspace', { params: { id } })
  const [text, setText] = useState('')
  const [type, setType] = useState<Template['type']>('transactional')
  const act = useAction('matchTemplates')
  const input = { params: { id }, body: { text, type } }
  return (
    <div class={`stack ${css.match}`}>
      <Form
        submitLabel={words.templates.check}
        submit={() => act.mutate(input)}
        mutation={act}
        fields={['text', 'type']}
        beside={<ApiButton of="matchTemplates" input={input} />}
      >
        <AreaField
          label={words.templates.textToCheck}
          value={text}
          set={setText}
          error={act.error?.of('text')}
          rows={5}
          maxLength={MAX_CHARACTERS}
        />
        <Counter text={text} type={type} workspace={workspace} />
        <SelectField
          label={words.common.type}
          value={type}
          set={setType}
          of={(workspace?.allowedTypes ?? [type]).map((it) => [it, words.types[it]] as const)}
        />
      </Form>
      <div class={css.answer} role="status">
        {act.data && act.variables && <MatchResult match={act.data} text={act.variables.body.text} />}
      </div>
    </div>
  )
}

function MatchResult({ match, text }: { match: TextMatch; text: string }) {
  const { template, nearest, fits, isTemplateRequired } = match
  if (template) {
    return (
      <Status tone="good">
        {words.templates.matches} <strong class="foreign">{template.name}</strong>
      </Status>
    )
  }
  if (!fits) return <Status tone="bad">{words.templates.doesNotFit}</Status>
  return (
    <div class="stack">
      <Status tone={isTemplateRequired ? 'bad' : 'idle'}>
        {isTemplateRequired ? words.templates.matchesNone : words.templates.notNeeded}
      </Status>
      {nearest && <Nearest nearest={nearest} text={text} />}
    </div>
  )
}

function Nearest({ nearest, text }: { nearest: NonNullable<TextMatch['nearest']>; text: string }) {
  const { name, status, reason, difference } = nearest
  if (!difference) {
    return (
      <p>
        {words.templates.matches} <strong class="foreign">{name}</strong>: {words.templates.states[status]}{' '}
        {reason !== null && <span class="foreign quiet">{reason}</span>}
      </p>
    )
  }
  const { position, expected, found } = difference
  // The word or the space at the first difference.
  const first = /^(\S+|\s)/.exec(text.slice(position))?.[0] ?? ''
  return (
    <>
      <p>
        {words.templates.closest} <strong class="foreign">{name}</strong>
      </p>
      <p class={`foreign ${css.text}`}>
        {text.slice(0, position)}
        <mark class={css.differs}>{first || '∎'}</mark>
        {text.slice(position + first.length)}
      </p>
      <p class="quiet">
        {words.templates.expected} <span class="foreign">{expected}</span> · {words.templates.found}{' '}
        <span class="foreign">{found}</span>
      </p>
    </>
  )
}
