// Verify: OTPs sent, delivered and verified, by day, prefix and workspace; the events and the allow list of the fraud guard.
import { useCan, useWorkspaceOrNull } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { DaysChoice, DEFAULT_DAYS } from '../parts/days.tsx'
import { FilterBar } from '../parts/filters.tsx'
import { Page } from '../parts/page.tsx'
import { Tabs, useTabs } from '../parts/tabs.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { useWorkspaceName, WorkspaceFilter } from '../parts/workspace-filter.tsx'
import { words } from '../words/index.ts'
import { AllowList } from './allow-list.tsx'
import { FraudEvents } from './fraud-events.tsx'
import { Funnel } from './funnel.tsx'
import { Prefixes } from './prefixes.tsx'
import { useFunnel } from './source.ts'
import { WorkspaceTable } from './workspaces.tsx'

export function Screen() {
  const own = useWorkspaceOrNull()
  const can = useCan()
  const [chosen, choose] = useUrlState({ days: DEFAULT_DAYS, client: '', workspace: '' })
  const workspaceId = own?.id ?? chosen.workspace
  const { funnel, query, inWorkspace, inService } = useFunnel(workspaceId, chosen.days)
  const { tab, links } = useTabs('/codes', [
    ...(workspaceId ? [] : [['workspaces', words.allWorkspaces.byWorkspace] as const]),
    ['prefixes', words.codes.byPrefix],
    ['guard', words.codes.guard],
    ...(own && can('listAllowedPrefixes') ? [['allowed', words.codes.allowList] as const] : []),
  ])
  const workspaceName = useWorkspaceName(chosen.workspace)
  const clear = () => choose({ workspace: '' })
  return (
    <Page
      title={words.screens.codes}
      actions={
        workspaceId ? (
          <ApiButton of="getCodeFunnel" input={inWorkspace} />
        ) : (
          <ApiButton of="getServiceCodeFunnel" input={inService} />
        )
      }
    >
      {own ? (
        <DaysChoice chosen={chosen.days} set={(days) => choose({ days })} />
      ) : (
        <FilterBar
          first={<DaysChoice chosen={chosen.days} set={(days) => choose({ days })} />}
          chosen={chosen.workspace ? [{ label: words.shell.workspace, value: workspaceName, remove: clear }] : []}
          clear={clear}
        >
          <WorkspaceFilter chosen={chosen.workspace} set={(workspace) => choose({ workspace })} />
        </FilterBar>
      )}
      <Funnel funnel={funnel} isService={workspaceId === ''} />
      <Tabs label={words.screens.codes} of={links} />
      {tab === 'workspaces' && <WorkspaceTable query={query} />}
      {tab === 'prefixes' && <Prefixes workspaceId={workspaceId} query={query} />}
      {tab === 'guard' && <FraudEvents workspaceId={workspaceId} />}
      {tab === 'allowed' && <AllowList client={chosen.client} choose={(client) => choose({ client })} />}
    </Page>
  )
}
