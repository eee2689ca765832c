// The caller, and the workspace of the open screen.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Caller, Calls } from './api/calls.ts'
import { canCall } from './api/use.ts'
import { chosenTimes } from './choices.ts'
import { useStore } from './parts/store.ts'
import { browserTimeZone } from './parts/time-zone.ts'

export interface Workspace {
  id: string
  name: string
  currency?: string
  timeZone?: string
  templatesRequired?: boolean
}

export const CallerContext = createContext<Caller | null>(null)
export const WorkspaceContext = createContext<Workspace | null>(null)

export function useCaller(): Caller {
  const who = useContext(CallerContext)
  if (!who) throw new Error('a screen was opened without a caller')
  return who
}

/** Null on the screens of the service, which show all workspaces. */
export function useWorkspaceOrNull(): Workspace | null {
  return useContext(WorkspaceContext)
}

/** The workspace of the screen; only below /w/{id}. */
export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext)
  if (!workspace) throw new Error('a screen of a workspace was opened outside of one')
  return workspace
}

/** The time zone of all times of the screen: as chosen, and that of the browser outside of a workspace. */
export function useTimeZone(): string {
  const times = useStore(chosenTimes)
  const ofWorkspace = useContext(WorkspaceContext)?.timeZone
  if (times === 'utc') return 'UTC'
  return (times === 'workspace' ? ofWorkspace : undefined) ?? browserTimeZone()
}

/** Whether the caller may make a call; other actions are not offered. */
export function useCan(): (name: keyof Calls) => boolean {
  const { kind } = useCaller()
  return (name) => canCall(kind, name)
}
