// Template reviews: one at a time, approved or rejected with a key.
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { measureText } from '../../src/domain/text-encoding.ts'
import type { Template } from '../api/calls.ts'
import { useAction, useCall, useList } from '../api/use.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Copy } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Facts } from '../parts/facts.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { count, encodingName, shortId } from '../parts/format.ts'
import { useKeys } from '../parts/keys.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { TemplateText } from '../parts/template-text.tsx'
import { foreign, mono } from '../parts/text.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import { useDecisions } from './decisions.ts'
import css from './review.module.css'

const INPUT = { query: { status: 'pending' } } as const

/** The templates that wait, the one that is shown, and the steps between them. */
function useReviewQueue(decided: ReadonlySet<string>) {
  const { items: pending, error, more } = useList('listTemplates', INPUT, { topics: ['settings'] })
  const [{ open }, setOpen] = useUrlState({ open: '' })
  // A reviewed template disappears before the server responds, so that the next key acts on the next template.
  const items = pending?.filter(({ id }) => !decided.has(id))
  const at = Math.max(0, items?.findIndex(({ id }) => id === open) ?? 0)
  const shown = items?.[at]
  const go = (step: number) => {
    const next = items?.[Math.min(items.length - 1, Math.max(0, at + step))]
    if (next) setOpen({ open: next.id }, { replace: true })
  }
  const leave = () => setOpen({ open: items?.[at + 1]?.id ?? '' }, { replace: true })
  return { items, error, more, at, shown, go, leave }
}

export function Screen() {
  const [isRejecting, setRejecting] = useState(false)
  const { decided, decide, approve, failed } = useDecisions()
  const { items, error, more, at, shown, go, leave } = useReviewQueue(decided)
  const acts: Acts = {
    approve: () => {
      if (!shown) return
      leave()
      approve(shown)
    },
    reject: () => setRejecting(true),
    go,
  }
  useReviewKeys(acts, shown !== undefined)
  return (
    <Page
      title={words.screens.review}
      about={items && items.length > 0 ? words.review.pending(count(items.length)) : undefined}
      actions={<ApiButton of="listTemplates" input={INPUT} />}
    >
      {failed.map(({ template: { id, name }, error: why }) => (
        <ErrorNote key={id} about={words.review.notApproved(name)} error={why} />
      ))}
      {shown && items && (
        <Review
          key={shown.id}
          template={shown}
          position={words.review.position(count(at + 1), count(items.length))}
          acts={acts}
        />
      )}
      {!items && !error && <Waiting />}
      {(items || error) && (
        <Table
          caption={words.screens.review}
          columns={columns()}
          items={items}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => `/review?open=${id}`}
          error={error}
          more={more}
          empty={<p>{words.review.none}</p>}
        />
      )}
      {shown && isRejecting && (
        <Reject
          key={shown.id}
          id={shown.id}
          close={() => setRejecting(false)}
          done={() => {
            setRejecting(false)
            leave()
            decide(shown.id)
          }}
        />
      )}
    </Page>
  )
}

interface Acts {
  approve: () => void
  reject: () => void
  go: (step: number) => void
}

function useReviewKeys({ approve, reject, go }: Acts, isShown: boolean): void {
  useKeys(
    isShown
      ? {
          a: [words.review.approve, approve],
          r: [words.review.reject, reject],
          n: [words.review.next, () => go(1)],
          p: [words.review.previous, () => go(-1)],
        }
      : {},
  )
}

function Review({ template, position, acts }: { template: Template; position: string; acts: Acts }) {
  const { id, name, type, text, variables, workspaceId, createdAt } = template
  const { data: workspace } = useCall('getWorkspace', { params: { id: workspaceId } })
  // The values are unknown here: each has at least one character.
  const { segments, encoding } = measureText(text.replaceAll(/\{\{[^}]*\}\}/g, 'x'))
  return (
    <article class={`card stack ${css.review}`}>
      <div class="row">
        <h2 class="foreign">{name}</h2>
        <span class="mark">{words.types[type]}</span>
        <span class="quiet push">{position}</span>
      </div>
      <TemplateText text={text} />
      <Facts
        of={[
          [
            words.shell.workspace,
            <Link key="w" href={`/workspaces/${workspaceId}`}>
              {foreign(workspace?.name ?? shortId(workspaceId))}
            </Link>,
          ],
          [words.common.submitted, <Moment key="at" at={createdAt} style="whole" />],
          [words.review.variables, mono(variables.join(', ') || '–')],
          [words.review.length, words.review.segments(count(segments), encodingName(encoding))],
          [words.common.id, <Copy key="id" text={id} />],
        ]}
      />
      <div class="row">
        <button type="button" class="primary" onClick={acts.approve}>
          {words.review.approve} <kbd>a</kbd>
        </button>
        <button type="button" onClick={acts.reject}>
          {words.review.reject} <kbd>r</kbd>
        </button>
        <button type="button" class="push" onClick={() => acts.go(-1)}>
          {words.review.previous} <kbd>p</kbd>
        </button>
        <button type="button" onClick={() => acts.go(1)}>
          {words.review.next} <kbd>n</kbd>
        </button>
      </div>
    </article>
  )
}

function Reject({ id, close, done }: { id: string; close: () => void; done: () => void }) {
  const [reason, setReason] = useState('')
  const reject = useAction('rejectTemplate', ['listTemplates', 'getNow'])
  return (
    <Dialog title={words.review.reject} close={close}>
      <Form
        submitLabel={words.review.reject}
        submit={() => reject.mutate({ params: { id }, body: { reason } }, { onSuccess: done })}
        mutation={reject}
        fields={['reason']}
        isDangerous
        cancel={close}
      >
        <TextField
          label={words.common.reason}
          hint={words.review.reasonHint}
          value={reason}
          set={setReason}
          error={reject.error?.of('reason')}
        />
      </Form>
    </Dialog>
  )
}

const columns = (): Column<Template>[] => [
  { head: words.common.name, cell: ({ name }) => foreign(name) },
  { head: words.common.type, cell: ({ type }) => words.types[type] },
  {
    head: words.messages.text,
    cell: ({ text }) => <span class="quiet foreign">{text}</span>,
    wide: true,
    secondary: true,
  },
  { head: words.common.submitted, cell: ({ createdAt }) => <Moment at={createdAt} />, right: true },
]
