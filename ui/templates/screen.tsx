// Templates with their review status, the editor for a new one, and the check of a text.
import { useRouter } from 'wouter-preact'
import type { Template } from '../api/calls.ts'
import { useCall, useList } from '../api/use.ts'
import { useCan, useWorkspace } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { SingleChips } from '../parts/filters.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Tabs, useTabs } from '../parts/tabs.tsx'
import { foreign } from '../parts/text.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { Editor } from './editor.tsx'
import { Match } from './match.tsx'
import { Review, STATUSES, TONES } from './review.tsx'
import { TemplateDialog } from './template-dialog.tsx'

const NEW = 'new'

export function Screen() {
  const { id } = useWorkspace()
  const can = useCan()
  const [chosen, choose] = useUrlState({ status: '', open: '', like: '' })
  const { tab, links } = useTabs('/templates', [
    ['list', words.screens.templates],
    ['match', words.templates.checkText],
  ])
  const status = STATUSES.find((it) => it === chosen.status)
  const input = { params: { id }, query: status ? { status } : {} }
  const list = useList('listWorkspaceTemplates', input, { topics: ['settings'] })
  const close = () => choose({ open: '', like: '' })
  // One of any page, such as a template that ⌘K found.
  const opened = useCall('getTemplate', { params: { id: chosen.open } }, { when: chosen.open !== '' })
  const shown = [...(list.items ?? []), opened.data].find((it) => it?.id === chosen.open)
  const write = can('submitTemplate') && (
    <button type="button" class="primary" onClick={() => choose({ open: '', like: NEW })}>
      {words.templates.write}
    </button>
  )
  return (
    <Page
      title={words.screens.templates}
      more={<ApiButton of="listWorkspaceTemplates" input={input} />}
      actions={list.items?.length !== 0 && write}
    >
      <Tabs label={words.screens.templates} of={links} />
      {tab === 'match' ? (
        <Match />
      ) : (
        <TemplateList
          {...list}
          status={chosen.status}
          filter={(it) => choose({ status: it })}
          empty={
            status ? (
              <p>{words.templates.noMatches}</p>
            ) : (
              <>
                <p>{words.templates.none}</p>
                {write}
              </>
            )
          }
        />
      )}
      {shown && chosen.like === '' && (
        <TemplateDialog
          template={shown}
          close={close}
          another={can('submitTemplate') ? () => choose({ open: '', like: shown.id }) : null}
        />
      )}
      {chosen.like !== '' && can('submitTemplate') && (
        <Editor like={[...(list.items ?? []), opened.data].find((it) => it?.id === chosen.like)} close={close} />
      )}
    </Page>
  )
}

type TemplateListProps = Pick<Parameters<typeof Table<Template>>[0], 'items' | 'error' | 'more' | 'empty'> & {
  status: string
  filter: (status: string) => void
}

function TemplateList({ status, filter, ...list }: TemplateListProps) {
  const { base } = useRouter()
  return (
    <>
      <SingleChips
        label={words.templates.status}
        of={STATUSES.map((it) => [it, words.templates.states[it], TONES[it]] as const)}
        chosen={status}
        set={filter}
      />
      <Table
        {...list}
        caption={words.screens.templates}
        columns={columns()}
        keyOf={(row) => row.id}
        hrefOf={(row) => `~${base}/templates?${status === '' ? '' : `status=${status}&`}open=${row.id}`}
      />
    </>
  )
}

const columns = (): Column<Template>[] => [
  { head: words.common.name, cell: ({ name }) => foreign(name), sortBy: ({ name }) => name },
  { head: words.templates.status, cell: (it) => <Review {...it} /> },
  {
    head: words.common.type,
    cell: ({ type }) => words.types[type],
    secondary: true,
    sortBy: ({ type }) => words.types[type],
  },
  { head: words.templates.text, cell: ({ text }) => <span class="quiet">{text}</span>, wide: true, secondary: true },
  {
    head: words.common.submitted,
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    secondary: true,
    sortBy: ({ createdAt }) => createdAt,
  },
]
