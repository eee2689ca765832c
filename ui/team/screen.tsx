// Team and audit: who belongs to the workspace and who is asked to, the tokens of its programs, and who changed what.
import { useList } from '../api/use.ts'
import { Page } from '../parts/page.tsx'
import { useTabs } from '../parts/tab-links.ts'
import { Tabs } from '../parts/tabs.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { useWorkspace } from '../who.ts'
import { words } from '../words/index.ts'
import { Audit, auditQuery, NO_FILTER } from './audit.tsx'
import { Members } from './members.tsx'
import { WorkspaceTokens } from './tokens.tsx'

export function Screen() {
  const { tab, links } = useTabs('/team', [
    ['members', words.team.members],
    ['tokens', words.team.tokens],
    ['audit', words.team.audit],
  ])
  return (
    <Page title={words.screens.team}>
      <Tabs label={words.screens.team} of={links} />
      {tab === 'members' && <Members />}
      {tab === 'tokens' && <WorkspaceTokens />}
      {tab === 'audit' && <OfWorkspace />}
    </Page>
  )
}

function OfWorkspace() {
  const { id } = useWorkspace()
  const [filter, setFilter] = useUrlState(NO_FILTER)
  const list = useList('listWorkspaceAuditLog', { params: { id }, query: auditQuery(filter) })
  return <Audit {...list} filter={filter} setFilter={setFilter} />
}
