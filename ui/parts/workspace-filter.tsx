// The filter by workspace on the screens of the service: a menu with a search, for any number of workspaces.
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useCall } from '../api/use.ts'
import { words } from '../words/index.ts'
import filtersCss from './filters.module.css'
import { shortId } from './format.ts'
import { Icon } from './icon.tsx'
import { MenuButton } from './menu-button.tsx'
import optionCss from './option.module.css'
import searchCss from './search.module.css'
import type { Column } from './table.tsx'
import { foreign } from './text.tsx'

const MAX_LISTED = 20

interface Props {
  /** Empty for all workspaces. */
  chosen: string
  set: (workspaceId: string) => void
}

export function WorkspaceFilter({ chosen, set }: Props) {
  return (
    <MenuButton label={words.shell.workspace} chosen={chosen ? 1 : 0}>
      {(close) => (
        <Choices
          chosen={chosen}
          choose={(id) => {
            close()
            set(id)
          }}
        />
      )}
    </MenuButton>
  )
}

/** The name of the chosen workspace, for its chip. */
export function useWorkspaceName(id: string): string {
  const { data } = useCall('getWorkspace', { params: { id } }, { when: id !== '' })
  return data?.id === id ? data.name : shortId(id)
}

/** The workspace of a row. */
export function workspaceColumn<Row extends { workspaceName?: string }>(): Column<Row> {
  return {
    head: words.shell.workspace,
    cell: ({ workspaceName = '' }) => foreign(workspaceName),
  }
}

function Choices({ chosen, choose }: { chosen: string; choose: (id: string) => void }) {
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  const list = useId()
  useLayoutEffect(() => field.current?.focus(), [])
  const query = { limit: MAX_LISTED, ...(typed.trim() && { name: typed.trim() }) }
  const { data } = useCall('listWorkspaces', { query })
  const all = typed === '' ? [{ id: '', name: words.shell.allWorkspaces }] : []
  const found = [...all, ...(data?.items ?? [])]
  const active = Math.min(at, found.length - 1)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setAt((active + step + found.length) % Math.max(1, found.length))
    else if (event.key !== 'Enter') return
    else if (found[active]) choose(found[active].id)
    event.preventDefault()
  }
  return (
    <>
      <label class={searchCss.search}>
        <Icon name="search" />
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={found.length > 0 ? `${list}-${active}` : undefined}
          aria-label={words.shell.findWorkspace}
          placeholder={words.shell.findWorkspace}
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <div id={list} role="listbox" aria-label={words.shell.workspace}>
        {found.map(({ id, name }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={id}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            class={optionCss.option}
            onClick={() => choose(id)}
          >
            <span class={`foreign ${filtersCss.value}`}>{name}</span>
            {id === chosen && <Icon name="check" />}
          </div>
        ))}
      </div>
      {data && found.length === 0 && <p class={`quiet ${optionCss.option}`}>{words.parts.noResults}</p>}
    </>
  )
}
