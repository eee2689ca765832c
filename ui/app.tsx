// Chooses what the caller sees: the sign-in form, the screens of a workspace, or the screens of the service.
import { QueryClientProvider } from '@tanstack/preact-query'
import { useEffect, useRef } from 'preact/hooks'
import { Redirect, Route, Router, Switch } from 'wouter-preact'
import type { Caller } from './api/calls.ts'
import { pendingConfirmation } from './api/confirm-identity.ts'
import { queries } from './api/queries.ts'
import { useStream } from './api/stream.ts'
import { canCall, useCall } from './api/use.ts'
import { setCurrentWorkspace } from './api/workspace.ts'
import { CallerContext, type Workspace, WorkspaceContext } from './caller.ts'
import { Lazy } from './lazy.tsx'
import { ErrorNote } from './parts/error-note.tsx'
import { useStore } from './parts/store.ts'
import { toasts } from './parts/toast.ts'
import { type Screen, SERVICE_SCREENS, WORKSPACE_SCREENS } from './screens.ts'
import { Shell } from './shell.tsx'
import { words } from './words/index.ts'

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <Router base="/console">
        <Switch>
          <Route path="/welcome">
            <Lazy load={welcome} />
          </Route>
          <Route>
            <SignedInConsole />
          </Route>
        </Switch>
      </Router>
    </QueryClientProvider>
  )
}

const welcome = () => import('./sign-in/welcome.tsx')
const signIn = () => import('./sign-in/screen.tsx')
const confirmIdentity = () =>
  import('./sign-in/confirm-identity.tsx').catch((error) => {
    // The waiting call fails, so that its form shows an error.
    pendingConfirmation.value?.(false)
    throw error
  })

function ConfirmIdentity() {
  return useStore(pendingConfirmation) ? <Lazy load={confirmIdentity} /> : null
}

function SignedInConsole() {
  const { data: who, error, isSuccess } = useCall('whoami', {})
  // While the caller loads again, the sign-in form stays, so that typed text is not lost.
  const isSignedOut = useRef(false)
  if (error?.status === 401 || isSuccess) isSignedOut.current = !isSuccess
  // The next person must not undo the changes of this one.
  useEffect(() => toasts.set([]), [isSignedOut.current])
  if (isSignedOut.current) return <Lazy load={signIn} />
  if (error && !who) {
    return (
      <div class="sentence">
        <ErrorNote error={error} />
      </div>
    )
  }
  if (!who) return <p class="hidden">{words.shell.loading}</p>
  return (
    <CallerContext.Provider value={who}>
      <Switch>
        <Route path="/w/:id" nest>
          {({ id }: { id: string }) => <InWorkspace id={id} who={who} />}
        </Route>
        <Route>
          <InService who={who} />
        </Route>
      </Switch>
      <ConfirmIdentity />
    </CallerContext.Provider>
  )
}

function InWorkspace({ id, who: caller }: { id: string; who: Caller }) {
  setCurrentWorkspace(id)
  // A person may have another role in each workspace.
  const role = caller.memberships.find(({ workspace }) => workspace.id === id)?.role
  const who: Caller = role && !caller.isOperator ? { ...caller, kind: role } : caller
  const { data, error } = useCall('getWorkspace', { params: { id } }, { topics: ['settings'] })
  const workspace: Workspace | null = data?.id === id ? data : null
  useStream(error && !workspace ? undefined : id)
  return (
    <CallerContext.Provider value={who}>
      <WorkspaceContext.Provider value={workspace}>
        <Shell workspaceId={id} screens={visible(WORKSPACE_SCREENS, who)}>
          {error && !workspace ? error.status === 404 ? <PageNotFound /> : <ErrorNote error={error} /> : null}
          {workspace ? <Screens of={visible(WORKSPACE_SCREENS, who)} /> : null}
        </Shell>
      </WorkspaceContext.Provider>
    </CallerContext.Provider>
  )
}

function InService({ who }: { who: Caller }) {
  setCurrentWorkspace(null)
  useStream(canCall(who.kind, 'watchService') ? null : undefined)
  // A member of one workspace starts there.
  const own = who.workspace
  if (who.kind !== 'operator' && own) return <Redirect to={`/w/${own.id}`} replace />
  return (
    <Shell workspaceId={null} screens={visible(SERVICE_SCREENS, who)}>
      <Switch>
        <Route path="/">
          <Landing screens={visible(SERVICE_SCREENS, who)} />
        </Route>
        <Route>
          <Screens of={visible(SERVICE_SCREENS, who)} />
        </Route>
      </Switch>
    </Shell>
  )
}

/** An operator starts with the first steps of the only workspace until they are done, then with the overview. */
function Landing({ screens }: { screens: readonly Screen[] }) {
  const { data: workspaces, error } = useCall('listWorkspaces', { query: { limit: 2 } })
  const [only, ...others] = workspaces?.items ?? []
  const isNew = only !== undefined && others.length === 0
  const { data: start, error: unknown } = useCall('getStart', { params: { id: only?.id ?? '' } }, { when: isNew })
  const first = screens[0]
  if (!workspaces && !error) return null
  if (isNew && !start && !unknown) return null
  const hasStarted = start?.steps.some(({ step, doneAt }) => step === 'code' && doneAt !== null) ?? true
  if (only && isNew && !hasStarted) return <Redirect to={`/w/${only.id}`} replace />
  return first ? <Redirect to={first.path} replace /> : <PageNotFound />
}

function Screens({ of }: { of: readonly Screen[] }) {
  return (
    <Switch>
      {of[0] && (
        <Route path="/">
          <Redirect to={of[0].path} replace />
        </Route>
      )}
      {of.map(({ path, load }) => (
        <Route key={path} path={path}>
          <Lazy load={load} />
        </Route>
      ))}
      <Route>
        <PageNotFound />
      </Route>
    </Switch>
  )
}

function PageNotFound() {
  return (
    <div class="stack">
      <h1>{words.shell.pageNotFound}</h1>
      <p>{words.shell.pageNotFoundHint}</p>
      <p>
        <a href="/console">{words.shell.home}</a>
      </p>
    </div>
  )
}

function visible(screens: readonly Screen[], { kind }: Caller): readonly Screen[] {
  return screens.filter(({ needs }) => canCall(kind, needs))
}
