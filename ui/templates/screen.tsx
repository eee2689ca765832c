// Templates with their review status, the editor for a new one, and the test of a message.

import { useRouter } from 'wouter-preact'
import type { Template } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { useMay, useWorkspace } from '../caller.ts'
import { Curl } from '../parts/curl.tsx'
import { Chips } from '../parts/filters.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Tabs, useTabs } from '../parts/tabs.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { Editor } from './editor.tsx'
import { Match } from './match.tsx'
import { Review, STATUSES, TONES } from './review.tsx'
import { TemplateDialog } from './template-dialog.tsx'

const NEW = 'new'

export function Screen() {
  const { id } = useWorkspace()
  const may = useMay()
  const [chosen, choose] = useUrlState({ status: '', open: '', like: '' })
  const { tab, links } = useTabs('/templates', [
    ['list', words.screens.templates],
    ['match', words.templates.testMessage],
  ])
  const status = STATUSES.find((it) => it === chosen.status)
  const input = { params: { id }, query: status ? { status } : {} }
  const { items, fault, more } = useList('listWorkspaceTemplates', input)
  const close = () => choose({ open: '', like: '' })
  const shown = items?.find((it) => it.id === chosen.open)
  const actions = (
    <>
      <Curl of="listWorkspaceTemplates" input={input} />
      {may('submitTemplate') && (
        <button type="button" class="primary" onClick={() => choose({ open: '', like: NEW })}>
          {words.templates.write}
        </button>
      )}
    </>
  )
  return (
    <Page title={words.screens.templates} actions={actions}>
      <Tabs label={words.screens.templates} of={links} />
      {tab === 'match' ? (
        <Match />
      ) : (
        <Listed
          rows={items}
          fault={fault}
          more={more}
          status={chosen.status}
          filter={(it) => choose({ status: it })}
          empty={<p>{status ? words.templates.noMatches : words.templates.none}</p>}
        />
      )}
      {shown && chosen.like === '' && (
        <TemplateDialog
          template={shown}
          close={close}
          another={may('submitTemplate') ? () => choose({ open: '', like: shown.id }) : null}
        />
      )}
      {chosen.like !== '' && may('submitTemplate') && (
        <Editor like={items?.find((it) => it.id === chosen.like)} close={close} />
      )}
    </Page>
  )
}

type ListedProps = Pick<Parameters<typeof Table<Template>>[0], 'rows' | 'fault' | 'more' | 'empty'> & {
  status: string
  filter: (status: string) => void
}

function Listed({ status, filter, ...list }: ListedProps) {
  const { base } = useRouter()
  return (
    <>
      <Chips
        label={words.templates.status}
        of={STATUSES.map((it) => [it, words.templates.states[it], TONES[it]] as const)}
        chosen={status === '' ? [] : [status]}
        set={(some) => filter(some.at(-1) ?? '')}
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
  { head: words.templates.name, cell: ({ name }) => <span class="foreign">{name}</span> },
  { head: words.templates.status, cell: (it) => <Review {...it} /> },
  { head: words.templates.type, cell: ({ type }) => words.types[type], roomy: true },
  { head: words.templates.text, cell: ({ text }) => <span class="quiet">{text}</span>, wide: true, roomy: true },
  { head: words.templates.submitted, cell: ({ createdAt }) => <Moment at={createdAt} />, roomy: true },
]
