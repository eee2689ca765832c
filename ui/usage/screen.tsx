// Usage and billing: the balance, spend by day, type and client net of refunds, the statements, and the ledger.
import { useState } from 'preact/hooks'
import type { Workspace } from '../api/calls.ts'
import { useCall } from '../api/use.ts'
import { useCan, useWorkspace } from '../caller.ts'
import { CreditRequestBanner, RequestDialog } from '../parts/credit-request.tsx'
import { Figures } from '../parts/figures.tsx'
import { fromNow, money } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/status.tsx'
import { Tabs, useTabs } from '../parts/tabs.tsx'
import { TopUpDialog } from '../parts/top-up-dialog.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { AlertDialog } from './alert-dialog.tsx'
import { Ledger } from './ledger.tsx'
import { Months } from './months.tsx'
import { Spend } from './spend.tsx'

export function Screen() {
  const { id } = useWorkspace()
  const can = useCan()
  const [isAlertOpen, setAlertOpen] = useState(false)
  const [{ make }, setOpen] = useUrlState({ make: '' })
  const { data: workspace } = useCall('getWorkspace', { params: { id } })
  const { tab, links } = useTabs('/usage', [
    ['spend', words.usage.spend],
    ['months', words.usage.months],
    ...(can('listLedger') ? [['ledger', words.usage.ledger] as const] : []),
  ])
  const alerts = can('setCreditAlerts') && (
    <button type="button" onClick={() => setAlertOpen(true)}>
      {words.usage.setAlert}
    </button>
  )
  const canTopUp = can('topUp')
  const credit = (canTopUp || can('requestCredit')) && (
    <button type="button" class="primary" onClick={() => setOpen({ make: 'credit' })}>
      {canTopUp ? words.usage.topUp : words.usage.request}
    </button>
  )
  const closeCredit = () => setOpen({ make: '' }, { replace: true })
  return (
    <Page title={words.screens.usage} more={alerts} actions={credit}>
      {workspace && <CreditRequestBanner workspace={workspace} />}
      <Figures of={figuresOf(workspace)} />
      <Tabs label={words.screens.usage} of={links} />
      {tab === 'spend' && <Spend currency={workspace?.currency} />}
      {tab === 'months' && <Months workspace={workspace} />}
      {tab === 'ledger' && <Ledger />}
      {isAlertOpen && workspace && <AlertDialog workspace={workspace} close={() => setAlertOpen(false)} />}
      {make === 'credit' &&
        credit &&
        workspace &&
        (canTopUp ? (
          <TopUpDialog workspace={workspace} close={closeCredit} />
        ) : (
          <RequestDialog workspace={workspace} close={closeCredit} />
        ))}
    </Page>
  )
}

function figuresOf(workspace: Workspace | undefined): Parameters<typeof Figures>[0]['of'] {
  if (!workspace)
    return [words.usage.balance, words.usage.renews, words.usage.monthly, words.usage.alert].map((it) => [it, null])
  const { balance, currency, periodEndsAt, monthlyCredit, creditAlerts } = workspace
  const { below, isLow } = creditAlerts
  return [
    [words.usage.balance, money(balance, currency), isLow ? <Pill tone="bad" word={words.usage.low} /> : undefined],
    [words.usage.renews, <Moment key="end" at={periodEndsAt} style="day" />, fromNow(periodEndsAt)],
    [words.usage.monthly, money(monthlyCredit, currency)],
    [
      words.usage.alert,
      below.length === 0 ? words.usage.alertOff : words.usage.below(below.map((it) => money(it, currency)).join(', ')),
    ],
  ]
}
