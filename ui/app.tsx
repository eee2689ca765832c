// Who is looking decides what is shown: the way to sign in, a workspace's screens, or the operator's.
import { QueryClientProvider } from '@tanstack/preact-query'
import { useRef } from 'preact/hooks'
import { Redirect, Route, Router, Switch } from 'wouter-preact'
import type { Caller } from './api/calls.ts'
import { mayCall, queries, useCall } from './api/use.ts'
import { actIn } from './api/workspace.ts'
import { Lazy } from './lazy.tsx'
import { FaultNote } from './parts/fault.tsx'
import { type Screen, SERVICE_SCREENS, WORKSPACE_SCREENS } from './screens.ts'
import { Shell } from './shell.tsx'
import { SignInAgain } from './sign-in/again.tsx'
import { WhoContext, type Workspace, WorkspaceContext } from './who.ts'
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
            <Whoever />
          </Route>
        </Switch>
      </Router>
    </QueryClientProvider>
  )
}

const welcome = () => import('./sign-in/welcome.tsx')
const signIn = () => import('./sign-in/screen.tsx')

function Whoever() {
  const { data: who, error, isSuccess } = useCall('whoami', {})
  // Asked again meanwhile, it is not known for a moment: what somebody types to sign in stays.
  const isOut = useRef(false)
  if (error?.status === 401 || isSuccess) isOut.current = !isSuccess
  if (isOut.current) return <Lazy load={signIn} />
  if (error && !who) {
    return (
      <div class="sentence">
        <FaultNote fault={error} />
      </div>
    )
  }
  if (!who) return <p class="hidden">{words.shell.loading}</p>
  return (
    <WhoContext.Provider value={who}>
      <Switch>
        <Route path="/w/:id" nest>
          {({ id }: { id: string }) => <InWorkspace id={id} who={who} />}
        </Route>
        <Route>
          <InService who={who} />
        </Route>
      </Switch>
      <SignInAgain />
    </WhoContext.Provider>
  )
}

function InWorkspace({ id, who: whoever }: { id: string; who: Caller }) {
  actIn(id)
  // One person may be an owner here and a viewer there.
  const role = whoever.memberships.find(({ workspace }) => workspace.id === id)?.role
  const who: Caller = role && !whoever.isOperator ? { ...whoever, kind: role } : whoever
  const { data, error } = useCall('getWorkspace', { params: { id } })
  const workspace: Workspace | null = data?.id === id ? data : null
  return (
    <WhoContext.Provider value={who}>
      <WorkspaceContext.Provider value={workspace}>
        <Shell workspaceId={id} screens={visible(WORKSPACE_SCREENS, who)}>
          {error && !workspace ? <FaultNote fault={error} /> : null}
          {workspace ? <Screens of={visible(WORKSPACE_SCREENS, who)} /> : null}
        </Shell>
      </WorkspaceContext.Provider>
    </WhoContext.Provider>
  )
}

function InService({ who }: { who: Caller }) {
  actIn(null)
  // Whoever sees one workspace begins there.
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

/** Where an operator begins: with the first steps of the only workspace, as long as nobody took them, or with how things are now. */
function Landing({ screens }: { screens: readonly Screen[] }) {
  const { data: workspaces, error } = useCall('listWorkspaces', { query: { limit: 2 } })
  const [only, ...others] = workspaces?.items ?? []
  const isNew = only !== undefined && others.length === 0
  const { data: start, error: unknown } = useCall('getStart', { params: { id: only?.id ?? '' } }, { when: isNew })
  const first = screens[0]
  if (!workspaces && !error) return null
  if (isNew && !start && !unknown) return null
  const isBegun = start?.steps.some(({ step, doneAt }) => step === 'code' && doneAt !== null) ?? true
  if (only && isNew && !isBegun) return <Redirect to={`/w/${only.id}`} replace />
  return first ? <Redirect to={first.path} replace /> : <NotHere />
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
        <NotHere />
      </Route>
    </Switch>
  )
}

function NotHere() {
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
  return screens.filter(({ needs }) => mayCall(kind, needs))
}
