// Who is looking, and in which workspace.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Caller, Calls } from './api/calls.ts'
import { mayCall } from './api/use.ts'

export interface Workspace {
  id: string
  name: string
  currency?: string
  templatesRequired?: boolean
}

export const WhoContext = createContext<Caller | null>(null)
export const WorkspaceContext = createContext<Workspace | null>(null)

export function useWho(): Caller {
  const who = useContext(WhoContext)
  if (!who) throw new Error('a screen was opened by nobody')
  return who
}

/** The workspace the screen is of; only below /w/{id}. */
export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext)
  if (!workspace) throw new Error('a screen of a workspace was opened outside of one')
  return workspace
}

/** Whether who is looking may make a call: what they may not do is not offered. */
export function useMay(): (name: keyof Calls) => boolean {
  const { kind } = useWho()
  return (name) => mayCall(kind, name)
}
