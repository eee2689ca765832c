// The frame around all screens: the sidebar, notices of the service, and the shortcuts that work everywhere.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Link, useLocation, useRouter } from 'wouter-preact'
import { unreachableSince } from './api/reachability.ts'
import { useCall } from './api/use.ts'
import { useCaller, useCan } from './caller.ts'
import { chooseLanguage, chooseTheme, chosenTheme, type Theme } from './choices.ts'
import { moment } from './parts/format.ts'
import { KeyHelp, listenForKeys, useKeys } from './parts/keys.tsx'
import { Palette } from './parts/palette.tsx'
import { useStore } from './parts/store.ts'
import type { Screen } from './screens.ts'
import css from './shell.module.css'
import { Switcher } from './switcher.tsx'
import { LANGUAGES, words } from './words/index.ts'

interface Props {
  /** Known from the address before the workspace is loaded; null on the screens of the service. */
  workspaceId: string | null
  screens: readonly Screen[]
  children: ComponentChildren
}

export function Shell({ workspaceId, screens, children }: Props) {
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null)
  const { base } = useRouter()
  const [here, go] = useLocation()
  useEffect(listenForKeys, [])
  useKeys({
    '⌘k': [words.keys.palette, () => setOpen('palette')],
    '?': [words.keys.help, () => setOpen('keys')],
  })
  // On a small screen the menu covers the page: it closes after a choice.
  useEffect(() => document.getElementById('menu')?.hidePopover?.(), [here])
  return (
    <div class={css.shell}>
      <a class={css.skip} href="#content">
        {words.shell.skip}
      </a>
      <header class={css.brand}>
        <Link href="~/console" class={css.name}>
          Hulaki
        </Link>
        <Simulated workspaceId={workspaceId} />
        <button type="button" class={css.menu} popovertarget="menu">
          {words.shell.menu}
        </button>
      </header>
      <nav id="menu" popover="auto" class={css.side} aria-label={words.shell.menu}>
        <Switcher workspaceId={workspaceId} />
        <ScreenLinks screens={screens} />
        <div class={css.foot}>
          <Me />
          <Languages />
          <Themes />
        </div>
      </nav>
      <main id="content" class={css.main}>
        <UnreachableNotice />
        {children}
      </main>
      {open === 'palette' && (
        <Palette
          close={() => setOpen(null)}
          entries={screens
            .filter(({ path }) => !path.includes(':'))
            .map(({ path, name }) => ({ name: words.screens[name], act: () => go(`~${base}${path}`) }))}
        />
      )}
      {open === 'keys' && <KeyHelp close={() => setOpen(null)} />}
    </div>
  )
}

function ScreenLinks({ screens }: Pick<Props, 'screens'>) {
  const [here] = useLocation()
  const current = screens.find(({ path, under }) => under && isHere(here, path))?.under ?? here
  return (
    <ul class={css.screens}>
      {screens
        .filter(({ isAside }) => !isAside)
        .map(({ path, name }) => (
          <li key={path}>
            <Link href={path} aria-current={isHere(current, path) ? 'page' : undefined}>
              {words.screens[name]}
            </Link>
          </li>
        ))}
    </ul>
  )
}

function isHere(location: string, path: string): boolean {
  return location === path || location.startsWith(`${path}/`)
}

/** Messages reach no phone in simulator mode, so every screen shows it. */
function Simulated({ workspaceId }: Pick<Props, 'workspaceId'>) {
  const can = useCan()
  const isInWorkspace = workspaceId !== null
  const { data: start } = useCall('getStart', { params: { id: workspaceId ?? '' } }, { when: isInWorkspace })
  const { data: now } = useCall('getNow', {}, { when: !isInWorkspace && can('getNow') })
  const { simulator } = (isInWorkspace ? start : now) ?? {}
  if (!simulator || simulator.serves === 'none') return null
  return (
    <span class="mark warning" title={words.shell.simulatorHint}>
      {words.shell.simulator}
    </span>
  )
}

/** The link to the account; tokens have none. */
function Me() {
  const { person } = useCaller()
  const [here] = useLocation()
  if (!person) return null
  return (
    <Link
      href="/account"
      class={`foreign ${css.me}`}
      title={words.screens.account}
      aria-current={isHere(here, '/account') ? 'page' : undefined}
    >
      {person.name}
    </Link>
  )
}

/** Shown while the server does not respond. */
function UnreachableNotice() {
  const since = useStore(unreachableSince)
  return (
    <div role="status">{since && <p class={css.away}>{words.shell.unreachableSince(moment(since, 'second'))}</p>}</div>
  )
}

function Themes() {
  const [chosen, setChosen] = useState<Theme>(chosenTheme)
  return (
    <fieldset class={css.choice}>
      <legend class="hidden">{words.shell.theme}</legend>
      {(['system', 'light', 'dark'] as const).map((theme) => (
        <button
          key={theme}
          type="button"
          aria-pressed={chosen === theme}
          onClick={() => {
            chooseTheme(theme)
            setChosen(theme)
          }}
        >
          {words.shell.themes[theme]}
        </button>
      ))}
    </fieldset>
  )
}

function Languages() {
  const chosen = document.documentElement.lang
  return (
    <fieldset class={css.choice}>
      <legend class="hidden">{words.shell.language}</legend>
      {Object.entries(LANGUAGES).map(([language, name]) => (
        <button
          key={language}
          type="button"
          lang={language}
          aria-pressed={chosen === language}
          onClick={() => chosen !== language && chooseLanguage(language)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}
