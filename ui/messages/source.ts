// The source of the message list: the messages of a workspace, or on the screen of the service those of all workspaces.
import { useEffect, useRef } from 'preact/hooks'
import type { TimeRange } from '../../src/domain/time-ranges.ts'
import type { Message, ServiceMessage } from '../api/calls.ts'
import { useCall, useList } from '../api/use.ts'
import { useCan, useTimeZone, useWorkspaceOrNull } from '../caller.ts'
import { type Filter, queryOf, serviceQueryOf } from './filter.ts'

/** A message of the service has the name and the currency of its workspace. */
export type ListedMessage = Message & Partial<Pick<ServiceMessage, 'workspaceName' | 'currency'>>

/** The hours move with time alone. */
const CHART_EVERY_MS = 60_000
const CHART_UPDATES = { topics: ['messages'], gapMs: 5_000 } as const

/** The messages of the range: of a workspace, or with an empty ID of all workspaces. */
export function useHistory(workspaceId: string, { range, isLive }: { range: TimeRange; isLive: boolean }) {
  const timeZone = useTimeZone()
  const isService = workspaceId === ''
  const updates = isLive ? { ...CHART_UPDATES, everyMs: CHART_EVERY_MS } : { everyMs: CHART_EVERY_MS }
  const inWorkspace = { params: { id: workspaceId }, query: { range } }
  const ofWorkspace = useCall('getMessageHistory', inWorkspace, { when: !isService, ...updates })
  const inService = { query: { range, timeZone } }
  const ofService = useCall('getServiceMessageHistory', inService, { when: isService, ...updates })
  return isService ? ofService.data : ofWorkspace.data
}

/** An empty page may be followed by others, because a page reads a bounded number of messages. */
const MAX_EMPTY_PAGES = 5

export function useMessages(filter: Filter) {
  const own = useWorkspaceOrNull()
  const can = useCan()
  const timeZone = useTimeZone()
  const inWorkspace = { params: { id: own?.id ?? '' }, query: queryOf(filter) }
  const inService = { query: serviceQueryOf(filter, timeZone) }
  const ofWorkspace = useList('listMessages', inWorkspace, { when: own !== null })
  const ofService = useList('listAllMessages', inService, { when: own === null })
  const shown = own ? ofWorkspace : ofService
  const listed = JSON.stringify(own ? inWorkspace : inService)
  const continued = useRef({ listed, pages: 0 })
  useEffect(() => {
    if (continued.current.listed !== listed) continued.current = { listed, pages: 0 }
    if (shown.items?.length !== 0 || !shown.more || continued.current.pages >= MAX_EMPTY_PAGES) return
    continued.current.pages += 1
    shown.more()
  }, [listed, shown.items?.length, shown.pages])
  /** The workspace of the screen or of its filter: only one workspace has an export. */
  const workspaceId = own?.id ?? filter.workspace
  return {
    own,
    workspaceId,
    list: shown as Omit<typeof ofWorkspace, 'items'> & { items: ListedMessage[] | undefined },
    /** The query of one workspace. */
    query: own ? inWorkspace.query : inService.query,
    inWorkspace,
    inService,
    canWatch: can(own ? 'watchWorkspace' : 'watchService'),
    listed,
  }
}
