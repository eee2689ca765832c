// The groups of ⌘K for what is typed: records, pages and actions, each where the role may use it.
import { useLocation } from 'wouter-preact'
import type { Found } from '../api/calls.ts'
import { queries } from '../api/queries.ts'
import { useAction, useCall } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { useCaller, useCan } from '../caller.ts'
import { chooseTheme, chosenTheme, THEMES } from '../choices.ts'
import { useDebounced } from '../parts/debounced.ts'
import type { IconName } from '../parts/icon.tsx'
import type { Screen } from '../screens.ts'
import { words } from '../words/index.ts'
import { answerFor, hrefOf, isNumber, matching, searchOf } from './entries.ts'

export interface Entry {
  key: string
  name: string
  icon: IconName
  act: () => void
  /** A record that the server found. */
  found?: Found
}

export interface Group {
  name: string
  entries: readonly Entry[]
}

const ICON_OF: Readonly<Record<Found['kind'], IconName>> = {
  message: 'message',
  delivery: 'webhook',
  request: 'log',
  client: 'key',
  template: 'template',
  workspace: 'grid',
  carrier: 'carrier',
}

interface Input {
  typed: string
  workspaceId: string | null
  screens: readonly Screen[]
  serviceScreens: readonly Screen[]
}

interface Result {
  groups: readonly Group[]
  isSearching: boolean
  /** The number of records; null before the answer. */
  found: number | null
}

export function useGroups({ typed, workspaceId, screens, serviceScreens }: Input): Result {
  const asked = useDebounced(searchOf(typed))
  // Each text has its own key, so the answer for an older text never replaces that for a newer one.
  const search = useCall('search', { query: { q: asked ?? '' } }, { when: asked !== null })
  const items = answerFor(typed, { asked, answer: search.data?.items, isOld: search.isPlaceholderData })
  const records = useRecords(items ?? [], typed)
  const pages = matching(usePages({ screens, serviceScreens, workspaceId }), typed)
  const actions = matching(useActions(workspaceId), typed)
  const typedActions = useTypedActions(typed, workspaceId)
  const isAnswered = items !== undefined || (search.error !== null && asked === searchOf(typed))
  // What the server adds comes last, so that no entry moves under the hand that presses Enter.
  const groups = [
    { name: words.palette.pages, entries: pages },
    { name: words.common.actions, entries: actions },
    ...records,
    { name: words.common.actions, entries: isAnswered ? typedActions : [] },
  ]
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    isSearching: searchOf(typed) !== null && !isAnswered,
    found: items?.length ?? null,
  }
}

function headingsFor(typed: string): Record<Found['kind'], string> {
  return {
    message: isNumber(typed) ? words.palette.messagesTo(typed.trim()) : words.screens.messages,
    delivery: words.palette.deliveries,
    request: words.palette.failedRequests,
    client: words.screens.clients,
    template: words.screens.templates,
    workspace: words.screens.workspaces,
    carrier: words.palette.carriers,
  }
}

/** In the order of the answer. */
function useRecords(items: readonly Found[], typed: string): readonly Group[] {
  const [, go] = useLocation()
  const headings = headingsFor(typed)
  const kinds = [...new Set(items.map(({ kind }) => kind))]
  return kinds.map((kind) => ({
    name: headings[kind],
    entries: items
      .filter((it) => it.kind === kind)
      .map((found) => ({
        key: `${kind}-${found.id}`,
        name: found.name,
        icon: ICON_OF[kind],
        found,
        act: () => go(hrefOf(found)),
      })),
  }))
}

/** The pages of the workspace, then those of the service. */
function usePages({ screens, serviceScreens, workspaceId }: Omit<Input, 'typed'>): readonly Entry[] {
  const [, go] = useLocation()
  const can = useCan()
  const base = workspaceId === null ? '~/console' : `~/console/w/${workspaceId}`
  const ofService = workspaceId === null ? [] : serviceScreens.filter(({ needs, group }) => group && can(needs))
  const names = new Set(screens.map(({ name }) => name))
  const pages = [
    ...screens.map((screen) => ({ ...screen, href: `${base}${screen.path}` })),
    ...ofService
      .filter(({ name }) => !names.has(name))
      .map((screen) => ({ ...screen, href: `~/console${screen.path}` })),
  ]
  return pages
    .filter(({ path, name }) => !path.includes(':') && name !== 'newCarrier')
    .map(({ name, icon = 'admin', href }) => ({
      key: `page-${name}`,
      name: words.screens[name],
      icon,
      act: () => go(href),
    }))
}

function useActions(workspaceId: string | null): readonly Entry[] {
  const [, go] = useLocation()
  const can = useCan()
  const { person } = useCaller()
  const signOut = useAction('signOut')
  const at = `~/console/w/${workspaceId}`
  const isInWorkspace = workspaceId !== null
  const leave = () => signOut.mutate({}, { onSuccess: () => inBackground(queries.resetQueries()) })
  const link = (name: string, icon: Entry['icon'], href: string): Entry => ({
    key: `action-${href.replaceAll(/\W+/g, '-')}`,
    name,
    icon,
    act: () => go(href),
  })
  return [
    ...(isInWorkspace && can('sendMessage') ? [link(words.messages.send, 'send', `${at}/messages?make=message`)] : []),
    ...(isInWorkspace && can('createClient') ? [link(words.clients.create, 'plus', `${at}/clients?make=client`)] : []),
    ...(isInWorkspace && can('submitTemplate')
      ? [link(words.templates.write, 'plus', `${at}/templates?like=new`)]
      : []),
    ...(isInWorkspace && can('topUp') ? [link(words.palette.addCredit, 'card', `${at}/usage?make=credit`)] : []),
    ...(can('createCarrier') ? [link(words.screens.newCarrier, 'plus', '~/console/carriers/new')] : []),
    ...THEMES.filter((theme) => theme !== chosenTheme()).map((theme) => ({
      key: `theme-${theme}`,
      name: words.palette.theme(words.shell.themes[theme]),
      icon: 'grid' as const,
      act: () => chooseTheme(theme),
    })),
    ...(person ? [{ key: 'sign-out', name: words.account.signOut, icon: 'exit' as const, act: leave }] : []),
  ]
}

/** Actions with what is typed. */
function useTypedActions(typed: string, workspaceId: string | null): readonly Entry[] {
  const [, go] = useLocation()
  const can = useCan()
  const text = typed.trim()
  if (workspaceId === null || searchOf(typed) === null) return []
  const at = `~/console/w/${workspaceId}/messages`
  const encoded = encodeURIComponent(text)
  const send: Entry = {
    key: 'send-to',
    name: words.palette.sendTo(text),
    icon: 'send',
    act: () => go(`${at}?make=message&number=${encoded}`),
  }
  const search: Entry = {
    key: 'search-messages',
    name: words.palette.searchMessages(text),
    icon: 'search',
    act: () => go(`${at}?search=${encoded}`),
  }
  return [...(isNumber(text) && can('sendMessage') ? [send] : []), ...(can('listMessages') ? [search] : [])]
}
