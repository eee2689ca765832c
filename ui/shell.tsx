// The frame around all screens: the sidebar, notices of the service, and the shortcuts that work everywhere.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { AccountMenu } from './account-menu.tsx'
import { unreachableSince } from './api/reachability.ts'
import { useCall } from './api/use.ts'
import { inBackground } from './background.ts'
import { useCan } from './caller.ts'
import { Palette } from './palette/palette.tsx'
import { count, moment } from './parts/format.ts'
import { Icon, Logo } from './parts/icon.tsx'
import { listenForKeys, useKeys } from './parts/keys.ts'
import { useStore } from './parts/store.ts'
import toastCss from './parts/toasts.module.css'
import { GROUPS, type Screen, SERVICE_SCREENS } from './screens.ts'
import css from './shell.module.css'
import { PasswordReminder } from './sign-in/password-reminder.tsx'
import { Switcher } from './switcher.tsx'
import { loadPaletteWords, loadToastWords, words } from './words/index.ts'

interface Props {
  /** Known from the address before the workspace is loaded; null on the screens of the service. */
  workspaceId: string | null
  screens: readonly Screen[]
  children: ComponentChildren
}

export function Shell({ workspaceId, screens, children }: Props) {
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null)
  const [here] = useLocation()
  const overlays = useOverlays(open !== null)
  const badges = useBadges(workspaceId)
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
      <header class={css.top}>
        <Link href="~/console" aria-label={words.shell.home}>
          <Logo />
        </Link>
        <Switcher workspaceId={workspaceId} place="top" />
        <button type="button" class={css.open} aria-label={words.shell.palette} onClick={() => setOpen('palette')}>
          <Icon name="search" />
        </button>
        <button
          type="button"
          class={`${css.open} ${Object.values(badges).some(({ tone }) => tone === 'bad') ? css.alert : ''}`}
          popovertarget="menu"
          aria-label={words.shell.menu}
        >
          <Icon name="menu" />
        </button>
      </header>
      <nav id="menu" popover="auto" class={css.side} aria-label={words.shell.menu}>
        <div class={css.brand}>
          <Link href="~/console" class={css.name}>
            <Logo />
            Hulaki
          </Link>
          <Simulated workspaceId={workspaceId} />
        </div>
        <Switcher workspaceId={workspaceId} place="side" />
        <button type="button" class={css.jump} onClick={() => setOpen('palette')}>
          <Icon name="search" />
          <span>{words.shell.palette}</span>
          <kbd class="push" aria-hidden="true">
            {isApple() ? '⌘K' : 'Ctrl K'}
          </kbd>
        </button>
        <ScreenLinks screens={screens} badges={badges} />
        <PasswordReminder />
        <AccountMenu showKeys={() => setOpen('keys')} />
      </nav>
      <main id="content" class={css.main}>
        <UnreachableNotice />
        {children}
        <div class={toastCss.host} role="status" aria-atomic="false">
          {overlays && <overlays.Toasts />}
        </div>
      </main>
      {open === 'palette' && (
        <Palette
          Results={overlays?.Results ?? null}
          workspaceId={workspaceId}
          screens={screens}
          serviceScreens={SERVICE_SCREENS}
          close={() => setOpen(null)}
        />
      )}
      {open === 'keys' && overlays && <overlays.KeyHelp close={() => setOpen(null)} />}
    </div>
  )
}

const loadOverlays = async () =>
  (await Promise.all([import('./palette/overlays.ts'), loadPaletteWords(), loadToastWords()]))[0]

/** When the screen has been shown, so that they do not delay it, and open at once. */
const LOAD_OVERLAYS_AFTER_MS = 1_000

function useOverlays(isOpen: boolean) {
  const [overlays, setOverlays] = useState<Awaited<ReturnType<typeof loadOverlays>> | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => inBackground(loadOverlays().then(setOverlays)), isOpen ? 0 : LOAD_OVERLAYS_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isOpen])
  return overlays
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform)
}

interface Badge {
  text: string
  tone: 'bad' | 'accent' | 'idle'
}

type Badges = Partial<Record<Screen['name'], Badge>>

/** Every screen has the badges, so that they change less often than a list. */
const BADGES_GAP_MS = 10_000
const WEBHOOK_BADGE = { topics: ['webhooks', 'settings'], gapMs: BADGES_GAP_MS } as const

/** Counts what needs a person, by screen. */
function useBadges(workspaceId: string | null): Badges {
  const can = useCan()
  const isInWorkspace = workspaceId !== null
  const { data: start } = useCall('getStart', { params: { id: workspaceId ?? '' } }, { when: isInWorkspace })
  const { data: now } = useCall(
    'getNow',
    {},
    { when: !isInWorkspace && can('getNow'), topics: ['carriers', 'settings'], gapMs: BADGES_GAP_MS },
  )
  const { data: failing } = useCall(
    'listWebhookEndpoints',
    { params: { id: workspaceId ?? '' }, query: { state: 'failing' } },
    { when: isInWorkspace && can('listWebhookEndpoints'), ...WEBHOOK_BADGE },
  )
  const { data: allFailing } = useCall(
    'listAllWebhookEndpoints',
    { query: { state: 'failing' } },
    { when: !isInWorkspace && can('listAllWebhookEndpoints'), ...WEBHOOK_BADGE },
  )
  const badges: Badges = {}
  const add = (name: Screen['name'], number: number, tone: Badge['tone']) => {
    if (number > 0) badges[name] = { text: count(number), tone }
  }
  if (now && !isInWorkspace) {
    add('now', now.findings.filter(({ state }) => state === 'error').length, 'bad')
    add(
      'carriers',
      now.carriers.filter(({ health }) => health.state === 'down' || health.state === 'broken').length,
      'bad',
    )
  }
  add('webhooks', (isInWorkspace ? failing : allFailing)?.items.length ?? 0, 'bad')
  if (start && isInWorkspace) {
    const done = start.steps.filter(({ doneAt }) => doneAt !== null).length
    if (done < start.steps.length)
      badges.start = { text: `${count(done)}/${count(start.steps.length)}`, tone: 'accent' }
  }
  return badges
}

function ScreenLinks({ screens, badges }: Pick<Props, 'screens'> & { badges: Badges }) {
  const [here] = useLocation()
  return (
    <div class={css.nav}>
      {GROUPS.map((group) => {
        const links = screens.filter((screen) => screen.group === group)
        if (links.length === 0) return null
        return (
          <section key={group}>
            {group !== 'first' && <h2>{words.shell.groups[group]}</h2>}
            <ul>
              {links.map(({ path, name, icon }) => (
                <li key={path}>
                  <Link href={path} aria-current={isHere(here, path) ? 'page' : undefined}>
                    {icon && <Icon name={icon} />}
                    {words.screens[name]}
                    <BadgeOf badge={badges[name]} />
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}

function BadgeOf({ badge }: { badge: Badge | undefined }) {
  return badge ? <span class={`${css.badge} ${css[badge.tone] ?? ''}`}>{badge.text}</span> : null
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
    <span class="mark" title={words.shell.simulatorHint}>
      {words.shell.simulator}
    </span>
  )
}

/** Shown while the server does not respond. */
function UnreachableNotice() {
  const since = useStore(unreachableSince)
  return (
    <div role="status">
      {since && (
        <p class={css.away}>
          <Icon name="clock" />
          {words.shell.unreachableSince(moment(since, 'second'))}
        </p>
      )}
    </div>
  )
}
