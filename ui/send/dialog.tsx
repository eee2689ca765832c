// Sends one message for an API client, through the same path as a program. The idempotency key belongs to what is typed, so a repeated
// request is sent and charged once (D25).
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { ApiError } from '../api/api-error.ts'
import type { Client, MessagePreview, Template, Workspace } from '../api/calls.ts'
import { useAction, useCall, useList } from '../api/use.ts'
import { useWorkspace } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { useClients } from '../parts/clients.ts'
import { useDebounced } from '../parts/debounced.ts'
import { Dialog } from '../parts/dialog.tsx'
import { AreaField, Form, SelectField, TextField } from '../parts/field.tsx'
import { capitalize, countryName } from '../parts/format.ts'
import { newIdempotencyKey } from '../parts/idempotency-key.ts'
import { Segmented } from '../parts/segmented.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { bodyOf, type Draft, missingOf, type Problems, problemsOf, type Refused } from './message-draft.ts'
import { Preview } from './preview.tsx'

const RELOADS = ['listMessages', 'getMessageHistory', 'getWorkspace', 'getStart'] as const
/** Longer than any text that can be sent, so that the preview can show its segments. */
const MAX_CHARACTERS = 2000
const MAX_TEMPLATES = 200

export function Screen() {
  const [{ number }, set] = useUrlState({ make: '', number: '' })
  const close = () => set({ make: '', number: '' }, { replace: true })
  const { clients, isKnown } = useClients()
  const { workspace, templates } = useChoices()
  const working = clients.filter(({ disabledAt }) => disabledAt === null)
  // Opens when everything is known, so that nothing moves.
  if (!isKnown || !workspace || !templates) return null
  return (
    <Dialog title={words.send.submit} close={close} shape="growing">
      {working.length === 0 ? (
        <p>
          {words.send.noClient} <Link href="/clients?make=client">{words.send.createClient}</Link>
        </p>
      ) : (
        <MessageForm clients={working} workspace={workspace} templates={templates} to={number} close={close} />
      )}
    </Dialog>
  )
}

interface Choices {
  workspace: Workspace
  templates: readonly Template[]
}

/** What can be chosen; undefined while it loads. OTPs have their own call. */
function useChoices(): Partial<Choices> {
  const params = { id: useWorkspace().id }
  const query = { status: 'approved', limit: MAX_TEMPLATES } as const
  const { data: workspace } = useCall('getWorkspace', { params })
  const { items } = useList('listWorkspaceTemplates', { params, query })
  return { ...(workspace && { workspace }), ...(items && { templates: items.filter(({ type }) => type !== 'otp') }) }
}

interface Props extends Choices {
  clients: readonly Client[]
  to: string
  close: () => void
}

function MessageForm({ clients, workspace, templates, to, close }: Props) {
  const [, go] = useLocation()
  const [clientId, setClientId] = useState(usualClient(clients))
  const { draft, change, types, canWrite } = useDraft(workspace, to)
  const body = bodyOf(draft)
  const written = JSON.stringify([clientId, body])
  const key = useMemo(newIdempotencyKey, [written])
  const act = useAction('sendMessage', RELOADS, { 'idempotency-key': key })
  const preview = usePreview(clientId, body)
  const [attempts, setAttempts] = useState(0)
  const [hasLeftNumber, setLeftNumber] = useState(to !== '')
  const { problems, error } = useProblems({
    draft,
    preview,
    refused: act.error,
    attempts,
    isNumberShown: hasLeftNumber,
  })
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (attempts > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [attempts, act.error])
  // The error belongs to what was sent.
  useEffect(() => act.reset(), [written])
  const submit = () => {
    setAttempts(attempts + 1)
    if (missingOf(draft).length > 0) return
    act.mutate(
      { params: { id: clientId }, body },
      { onSuccess: ({ messageId }) => go(`/messages/${messageId}`, { replace: true }) },
    )
  }
  const client = clients.find((it) => it.id === clientId)
  const { fields } = problems
  return (
    <div ref={form}>
      <Form
        submitLabel={words.send.submit}
        submit={submit}
        mutation={{ isPending: act.isPending, error }}
        cancel={close}
        beside={<ApiButton of="sendMessage" input={{ params: { id: clientId }, body }} />}
      >
        <SelectField
          label={words.common.client}
          hint={client?.mode === 'test' ? words.send.testMode : words.send.billed}
          value={clientId}
          set={setClientId}
          error={fields.client}
          of={clients.map(
            ({ id: it, name, mode }) => [it, mode === 'test' ? `${name} · ${words.clients.test}` : name] as const,
          )}
        />
        <TextField
          label={words.send.number}
          hint={fields.to ? null : numberHint(preview)}
          value={draft.to}
          set={(it) => change({ to: it })}
          onBlur={() => setLeftNumber(true)}
          error={fields.to}
          type="tel"
          autoComplete="off"
          maxLength={40}
        />
        {canWrite && templates.length > 0 && (
          <Segmented
            label={words.send.content}
            isLabelShown
            value={draft.content}
            set={(content) => change({ content })}
            of={[
              ['text', words.send.freeText],
              ['template', words.send.template],
            ]}
          />
        )}
        {draft.content === 'text' ? (
          <FreeText draft={draft} change={change} types={types} fields={fields} />
        ) : (
          <FromTemplate draft={draft} change={change} templates={templates} fields={fields} />
        )}
        <Preview preview={preview} template={draft.content === 'template' ? draft.template?.text : undefined} />
      </Form>
    </div>
  )
}

interface PartProps {
  draft: Draft
  change: (changes: Partial<Draft>) => void
  fields: Problems['fields']
}

function FreeText({ draft, change, types, fields }: PartProps & { types: readonly Draft['type'][] }) {
  return (
    <>
      <AreaField
        label={words.messages.text}
        value={draft.text}
        set={(text) => change({ text })}
        error={fields.text}
        rows={4}
        maxLength={MAX_CHARACTERS}
      />
      {types.length > 1 && (
        <SelectField
          label={words.common.type}
          value={draft.type}
          set={(type) => change({ type })}
          of={types.map((type) => [type, capitalize(words.types[type])] as const)}
        />
      )}
    </>
  )
}

function FromTemplate({ draft, change, templates, fields }: PartProps & { templates: readonly Template[] }) {
  const { template, variables } = draft
  if (templates.length === 0)
    return (
      <p>
        {words.send.noTemplates} <Link href="/templates">{words.send.viewTemplates}</Link>
      </p>
    )
  return (
    <>
      <SelectField
        label={words.send.template}
        value={template?.id ?? ''}
        set={(it) => change({ template: templates.find(({ id }) => id === it) })}
        error={fields.templateId}
        of={[['', words.send.chooseTemplate], ...templates.map(({ id, name }) => [id, name] as const)]}
      />
      {template?.variables.map((name) => (
        <TextField
          key={name}
          label={name}
          value={variables[name] ?? ''}
          set={(value) => change({ variables: { ...variables, [name]: value } })}
          error={fields[`variables.${name}`]}
          autoComplete="off"
        />
      ))}
    </>
  )
}

/** What is typed. */
function useDraft({ allowedTypes, templatesRequired }: Workspace, to: string) {
  const types: Draft['type'][] = allowedTypes.filter((type) => type !== 'otp')
  const content = templatesRequired ? 'template' : 'text'
  const [draft, setDraft] = useState<Draft>({
    to,
    content,
    text: '',
    type: types[0] ?? 'transactional',
    template: undefined,
    variables: {},
  })
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  return { draft, change, types, canWrite: !templatesRequired }
}

/** The preview of what was typed last; an older answer never replaces it, because each has its own key. */
function usePreview(clientId: string, body: ReturnType<typeof bodyOf>): MessagePreview | undefined {
  const settled = useDebounced(body)
  const { data } = useCall('previewMessage', { params: { id: clientId }, body: settled })
  return data
}

interface Told {
  draft: Draft
  preview: MessagePreview | undefined
  refused: ApiError | null
  attempts: number
  isNumberShown: boolean
}

/** The errors at their fields, and the error of the send that belongs to none. */
function useProblems({ draft, preview, refused, attempts, isNumberShown }: Told): {
  problems: Problems
  error: ApiError | null
} {
  const sentences: Record<string, string | undefined> = words.send.refusals
  const { content } = draft
  const previewed: Refused[] = (preview?.refusals ?? []).map(({ code, error, details }) => ({
    code,
    message: error,
    details,
  }))
  const sent = problemsOf(refused ? [refused] : [], { content, sentences })
  const before = problemsOf(previewed, { content, sentences }).fields
  const missing = attempts > 0 ? missingOf(draft) : []
  const fields = { ...before, ...sent.fields, ...Object.fromEntries(missing.map((it) => [it, words.send.required])) }
  // A number that is still being typed is not wrong yet.
  if (!isNumberShown && attempts === 0) delete fields.to
  const error = refused && (sent.rest !== null || refused.status === 0) ? withSentence(refused, sent.rest) : null
  return { problems: { fields, rest: sent.rest }, error }
}

function withSentence({ status, code, message, requestId, retryAfter }: ApiError, sentence: string | null): ApiError {
  return new ApiError({ status, code, message: sentence ?? message, requestId, retryAfter })
}

/** The latest live client. */
function usualClient(clients: readonly Client[]): string {
  return (clients.findLast(({ mode }) => mode === 'live') ?? clients.at(-1))?.id ?? ''
}

function numberHint(preview: MessagePreview | undefined): string {
  return preview?.to ? `${preview.to.number} · ${countryName(preview.to.country)}` : words.send.numberHint
}
