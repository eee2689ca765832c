// Shows the current workspace and switches to another.
import { useContext } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { useCaller, type Workspace, WorkspaceContext } from './caller.ts'
import css from './switcher.module.css'
import { words } from './words/index.ts'

const OF_THE_SERVICE = ''
/** Not ~/console, which redirects a new operator to the first steps of the only workspace. */
const NOW = '~/console/now'
const NOT_LOADED = '–'

/** Rendered before the workspace is loaded, so that the menu below keeps its place. */
export function Switcher({ workspaceId }: { workspaceId: string | null }) {
  const who = useCaller()
  const workspace = useContext(WorkspaceContext)
  const [, go] = useLocation()
  const memberships = who.memberships.map((it) => it.workspace)
  const own = memberships.length > 0 || !who.workspace ? memberships : [who.workspace]
  const isForeign = workspaceId !== null && !own.some(({ id }) => id === workspaceId)
  const here = isForeign ? [{ id: workspaceId, name: workspace?.name ?? NOT_LOADED }] : []
  const choices: Pick<Workspace, 'id' | 'name'>[] = [...own, ...here]
  if (choices.length === 0) return <span />
  return (
    <label class={css.switcher}>
      <span class="hidden">{words.shell.workspace}</span>
      <select
        value={workspaceId ?? OF_THE_SERVICE}
        onChange={({ currentTarget: { value } }) => go(value === OF_THE_SERVICE ? NOW : `~/console/w/${value}`)}
      >
        {who.kind === 'operator' && <option value={OF_THE_SERVICE}>{words.shell.allWorkspaces}</option>}
        {choices.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
