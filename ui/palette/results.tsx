// The results of ⌘K: records that the server finds, pages and actions, as the grouped listbox of the field.
import type { RefObject } from 'preact'
import { useContext, useEffect, useId, useLayoutEffect, useState } from 'preact/hooks'
import { useTimeZone, WorkspaceContext } from '../caller.ts'
import { capitalize, count, moment } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import optionCss from '../parts/option.module.css'
import { Pill, toneOf } from '../parts/status.tsx'
import type { Screen } from '../screens.ts'
import { words } from '../words/index.ts'
import { type Entry, type Group, useGroups } from './groups.ts'
import css from './palette.module.css'

/** Where the reader is, and where the results may lead. */
export interface Places {
  workspaceId: string | null
  /** The screens of this part of the console, and all screens of the service. Passed in, so that they stay in the first file. */
  screens: readonly Screen[]
  serviceScreens: readonly Screen[]
}

/** Handles an arrow or Enter of the field. */
export type PressKey = (key: string) => void

interface Props extends Places {
  id: string
  typed: string
  /** Set while the results are mounted. */
  press: RefObject<PressKey | null>
  isEntered: RefObject<boolean>
  setActive: (option: string | undefined) => void
  close: () => void
}

export function Results({ id, typed, press, isEntered, setActive, close, ...places }: Props) {
  /** The entry that the arrows chose for a text: it stays chosen when the answer of the server adds others. */
  const [picked, setPicked] = useState<{ key: string; typed: string } | null>(null)
  const { groups, isSearching, found } = useGroups({ typed, ...places })
  const entries = groups.flatMap((group) => group.entries)
  const chosen = Math.max(
    0,
    entries.findIndex(({ key }) => picked?.typed === typed && key === picked.key),
  )
  const chosenKey = entries[chosen]?.key
  const option = chosenKey === undefined ? undefined : `${id}-${chosenKey}`
  useEffect(() => {
    if (option !== undefined) document.getElementById(option)?.scrollIntoView({ block: 'nearest' })
  }, [option])
  useLayoutEffect(() => setActive(option), [option])
  const choose = (entry: Entry | undefined) => {
    if (!entry) return
    close()
    entry.act()
  }
  useLayoutEffect(() => {
    press.current = (key) => {
      if (key === 'Enter') return choose(entries[chosen])
      const step = key === 'ArrowDown' ? 1 : -1
      const next = entries.at((chosen + step) % Math.max(1, entries.length))
      setPicked(next ? { key: next.key, typed } : null)
    }
  })
  useLayoutEffect(() => {
    if (isEntered.current) choose(entries[chosen])
    return () => {
      press.current = null
    }
  }, [])
  return (
    <>
      <div class={css.results}>
        <div id={id} role="listbox" aria-label={words.shell.palette} class={css.list}>
          {groups.map((group) => (
            <Options key={group.entries[0]?.key} id={id} group={group} chosen={chosenKey} choose={choose} />
          ))}
        </div>
        {entries.length === 0 && !isSearching && <p class={`quiet ${css.none}`}>{words.parts.noResults}</p>}
      </div>
      <p class="hidden" role="status">
        {isSearching ? words.palette.searching : found !== null && words.palette.found(found, count(found))}
      </p>
      <p class={`meta ${css.foot}`} aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> {words.keys.move}
        </span>
        <span>
          <kbd>↵</kbd> {words.keys.open}
        </span>
        <span>
          <kbd>Esc</kbd> {words.keys.close}
        </span>
        <span class={`push ${css.what}`}>{isSearching ? words.palette.searching : words.palette.what}</span>
      </p>
    </>
  )
}

interface OptionsProps {
  id: string
  group: Group
  chosen: string | undefined
  choose: (entry: Entry) => void
}

function Options({ id, group, chosen, choose }: OptionsProps) {
  const heading = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of a listbox
    <div role="group" aria-labelledby={heading}>
      <p id={heading} class={`meta foreign ${css.heading}`}>
        {group.name}
      </p>
      {group.entries.map((entry) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
        <div
          key={entry.key}
          id={`${id}-${entry.key}`}
          role="option"
          tabIndex={-1}
          aria-selected={entry.key === chosen}
          class={optionCss.option}
          onClick={() => choose(entry)}
        >
          <Icon name={entry.icon} />
          <span class={`foreign ${entry.found?.kind === 'message' ? 'mono' : css.name}`}>{entry.name}</span>
          {entry.found && <Notes found={entry.found} />}
        </div>
      ))}
    </div>
  )
}

function Notes({ found: { kind, status, workspace, at } }: { found: NonNullable<Entry['found']> }) {
  const timeZone = useTimeZone()
  const here = useContext(WorkspaceContext)?.id
  const isElsewhere = kind !== 'workspace' && workspace?.id !== here
  const statuses: Record<string, string> = words.status
  return (
    <>
      {kind === 'message' && status !== null && <Pill tone={toneOf(status)} word={statuses[status] ?? status} />}
      {kind === 'delivery' && status !== null && <span class="quiet">{capitalize(statuses[status] ?? status)}</span>}
      {kind === 'request' && <code>{status}</code>}
      <span class={`push meta foreign ${css.note}`}>
        {isElsewhere && workspace?.name} {at && moment(at, 'row', timeZone)}
      </span>
    </>
  )
}
