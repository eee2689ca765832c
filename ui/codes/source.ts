// The source of the OTP statistics: a workspace, or with an empty ID the whole service.
import type { CodeFunnel } from '../api/calls.ts'
import { useCall, useList } from '../api/use.ts'
import { queryOf } from '../parts/days.tsx'

/** Statistics read many rows. Holds of the fraud guard refuse requests. */
export const LIVE = { topics: ['messages', 'codes', 'requests', 'settings'], gapMs: 10_000 } as const

/** The days of the service are each in the time zone of its workspace. */
export type ShownFunnel = Omit<CodeFunnel, 'timeZone'> & { timeZone?: string }

function useDays(workspaceId: string, query: { from?: string }, isKnown: boolean): ShownFunnel | undefined {
  const [isOwn, isService] = [workspaceId !== '', workspaceId === '']
  const own = useCall('getCodeFunnel', { params: { id: workspaceId }, query }, { when: isKnown && isOwn, ...LIVE })
  const service = useCall('getServiceCodeFunnel', { query }, { when: isKnown && isService, ...LIVE })
  return isService ? service.data : own.data
}

/** The last day comes from the API, which knows the time zone. */
export function useFunnel(workspaceId: string, days: string) {
  const usual = useDays(workspaceId, {}, true)
  const query = queryOf(days, usual?.to)
  const funnel = useDays(workspaceId, query, usual !== undefined)
  return { funnel, query, inWorkspace: { params: { id: workspaceId }, query }, inService: { query } }
}

export function usePrefixes(workspaceId: string, query: { from?: string }) {
  const own = useCall('getCodesByPrefix', { params: { id: workspaceId }, query }, { when: workspaceId !== '', ...LIVE })
  const service = useCall('getServiceCodesByPrefix', { query }, { when: workspaceId === '', ...LIVE })
  return workspaceId === '' ? service : own
}

export function useFraudEvents(workspaceId: string) {
  const own = useList(
    'listFraudEvents',
    { params: { id: workspaceId }, query: {} },
    { when: workspaceId !== '', ...LIVE },
  )
  const service = useList('listAllFraudEvents', { query: {} }, { when: workspaceId === '', ...LIVE })
  return workspaceId === '' ? service : own
}
