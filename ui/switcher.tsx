// Shows the current workspace, and switches to another one: a menu with a search.
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useCall } from './api/use.ts'
import { useCaller, useCan, WorkspaceContext } from './caller.ts'
import css from './menu.module.css'
import { Avatar } from './parts/avatar.tsx'
import { Icon } from './parts/icon.tsx'
import { words } from './words/index.ts'

/** Not ~/console, which redirects a new operator to the first steps of the only workspace. */
const OVERVIEW = '~/console/now'
const NOT_LOADED = '–'
const MENU = 'workspaces'
const MAX_LISTED = 20

interface Props {
  workspaceId: string | null
  /** The menu exists once; both buttons open it. */
  place: 'side' | 'top'
}

/** Rendered before the workspace is loaded, so that the menu below keeps its place. */
export function Switcher({ workspaceId, place }: Props) {
  const workspace = useContext(WorkspaceContext)
  const name = workspaceId === null ? words.shell.allWorkspaces : (workspace?.name ?? NOT_LOADED)
  if (place === 'top') {
    return (
      <button type="button" class={css.where} popovertarget={MENU}>
        <span class={`foreign ${css.clip}`}>{name}</span>
        <Icon name="updown" />
      </button>
    )
  }
  return (
    <>
      <button type="button" class={css.switcher} popovertarget={MENU} title={words.shell.switchWorkspace}>
        {workspaceId === null ? <All /> : <Avatar name={name} />}
        <span class={`foreign ${css.clip}`}>{name}</span>
        <Icon name="updown" />
      </button>
      <Menu current={workspaceId} />
    </>
  )
}

function All() {
  return (
    <span class={css.all}>
      <Icon name="grid" />
    </span>
  )
}

function Menu({ current }: { current: string | null }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div
      id={MENU}
      popover="auto"
      class={`${css.menu} ${css.below}`}
      onToggle={(event) => setOpen(event.newState === 'open')}
    >
      {isOpen && <Choices current={current} close={() => document.getElementById(MENU)?.hidePopover()} />}
    </div>
  )
}

function Choices({ current, close }: { current: string | null; close: () => void }) {
  const who = useCaller()
  const can = useCan()
  const [typed, setTyped] = useState('')
  const search = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => search.current?.focus(), [])
  const isOperator = who.kind === 'operator'
  const query = { limit: MAX_LISTED, ...(typed.trim() && { name: typed.trim() }) }
  const { data } = useCall('listWorkspaces', { query }, { when: isOperator })
  const memberships = who.memberships.map((it) => it.workspace)
  const own = memberships.length > 0 || !who.workspace ? memberships : [who.workspace]
  const matching = own.filter(({ name }) => name.toLocaleLowerCase().includes(typed.trim().toLocaleLowerCase()))
  const found = isOperator ? data?.items : matching
  return (
    <>
      <label class={css.search}>
        <span class="hidden">{words.shell.findWorkspace}</span>
        <Icon name="search" />
        <input
          type="search"
          ref={search}
          placeholder={words.shell.findWorkspace}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      {isOperator && typed === '' && (
        <>
          <Link class={css.item} href={OVERVIEW} onClick={close}>
            <All />
            <span class={css.clip}>{words.shell.allWorkspaces}</span>
            {current === null && <Icon name="check" />}
          </Link>
          <hr />
        </>
      )}
      {found?.map(({ id, name }) => (
        <Link key={id} class={css.item} href={`~/console/w/${id}`} onClick={close}>
          <Avatar name={name} />
          <span class={`foreign ${css.clip}`}>{name}</span>
          {id === current && <Icon name="check" />}
        </Link>
      ))}
      {found?.length === 0 && <p class={`quiet ${css.who}`}>{words.parts.noResults}</p>}
      {can('createWorkspace') && (
        <>
          <hr />
          <Link class={css.item} href="~/console/workspaces?new=1" onClick={close}>
            <Icon name="plus" />
            {words.shell.createWorkspace}
          </Link>
        </>
      )}
    </>
  )
}
