// All screens: path, name, and the call that each needs. A role without that permission does not see the screen.
import type { FunctionComponent } from 'preact'
import type { Calls } from './api/calls.ts'
import type { IconName } from './parts/icon.tsx'
import { loadBillingWords, loadLogWords, loadServiceWords } from './words/index.ts'
import type { Words } from './words/shape.ts'

/** The groups of the sidebar, in order; the first has no title. */
export const GROUPS = ['first', 'send', 'build', 'monitor', 'customers', 'network', 'account'] as const

export interface Screen {
  path: string
  name: keyof Words['screens']
  needs: keyof Calls
  /** The group in the sidebar; screens without one are opened from another screen, or with ⌘K. */
  group?: (typeof GROUPS)[number]
  icon?: IconName
  load: () => Promise<{ Screen: FunctionComponent }>
}

/** Loads texts that few screens need beside the screen. */
function withWords(loadWords: () => Promise<void>): (load: Screen['load']) => Screen['load'] {
  return (load) => async () => (await Promise.all([load(), loadWords()]))[0]
}
const withLogWords = withWords(loadLogWords)
const withBillingWords = withWords(loadBillingWords)
const withServiceWords = withWords(loadServiceWords)

/** Screens of one workspace, below /w/{id}. */
export const WORKSPACE_SCREENS: readonly Screen[] = [
  {
    path: '/start',
    group: 'first',
    icon: 'flag',
    name: 'start',
    needs: 'getStart',
    load: () => import('./start/screen.tsx'),
  },
  {
    path: '/messages',
    group: 'send',
    icon: 'message',
    name: 'messages',
    needs: 'listMessages',
    load: () => import('./messages/screen.tsx'),
  },
  {
    path: '/messages/:id',
    name: 'message',
    needs: 'getTimeline',
    load: () => import('./message/screen.tsx'),
  },
  {
    path: '/replies',
    group: 'send',
    icon: 'reply',
    name: 'replies',
    needs: 'listWorkspaceReplies',
    load: withLogWords(() => import('./replies/screen.tsx')),
  },
  {
    path: '/codes',
    group: 'send',
    icon: 'verify',
    name: 'codes',
    needs: 'getCodeFunnel',
    load: () => import('./codes/screen.tsx'),
  },
  {
    path: '/templates',
    group: 'send',
    icon: 'template',
    name: 'templates',
    needs: 'listWorkspaceTemplates',
    load: () => import('./templates/screen.tsx'),
  },
  {
    path: '/clients',
    group: 'build',
    icon: 'key',
    name: 'clients',
    needs: 'listClients',
    load: () => import('./clients/screen.tsx'),
  },
  {
    path: '/clients/:id',
    name: 'client',
    needs: 'getClient',
    load: () => import('./clients/client.tsx'),
  },
  {
    path: '/webhooks',
    group: 'build',
    icon: 'webhook',
    name: 'webhooks',
    needs: 'listWorkspaceWebhookDeliveries',
    load: () => import('./webhooks/screen.tsx'),
  },
  {
    path: '/webhooks/:id',
    name: 'delivery',
    needs: 'getWebhookDelivery',
    load: () => import('./webhooks/delivery.tsx'),
  },
  {
    path: '/requests',
    group: 'build',
    icon: 'log',
    name: 'requests',
    needs: 'listWorkspaceRequests',
    load: withLogWords(() => import('./requests/screen.tsx')),
  },
  {
    path: '/usage',
    group: 'account',
    icon: 'card',
    name: 'usage',
    needs: 'getUsage',
    load: withBillingWords(() => import('./usage/screen.tsx')),
  },
  {
    path: '/phone',
    group: 'build',
    icon: 'phone',
    name: 'phone',
    needs: 'listWorkspaceHandsetMessages',
    load: () => import('./phone/screen.tsx').then(({ WorkspaceScreen }) => ({ Screen: WorkspaceScreen })),
  },
  {
    path: '/team',
    group: 'account',
    icon: 'team',
    name: 'team',
    needs: 'listMembers',
    load: withLogWords(() => import('./team/screen.tsx')),
  },
  { path: '/account', name: 'account', needs: 'getAccount', load: () => import('./account/screen.tsx') },
]

/** Screens of the whole service, for operators. */
export const SERVICE_SCREENS: readonly Screen[] = [
  {
    path: '/now',
    group: 'monitor',
    icon: 'overview',
    name: 'now',
    needs: 'getNow',
    load: withServiceWords(() => import('./now/screen.tsx')),
  },
  {
    path: '/messages',
    group: 'monitor',
    icon: 'message',
    name: 'messages',
    needs: 'listAllMessages',
    load: () => import('./messages/screen.tsx'),
  },
  {
    path: '/codes',
    group: 'monitor',
    icon: 'verify',
    name: 'codes',
    needs: 'getServiceCodeFunnel',
    load: withServiceWords(() => import('./codes/screen.tsx')),
  },
  {
    path: '/webhooks',
    group: 'monitor',
    icon: 'webhook',
    name: 'webhooks',
    needs: 'listAllWebhookDeliveries',
    load: () => import('./webhooks/screen.tsx'),
  },
  {
    path: '/requests',
    group: 'monitor',
    icon: 'log',
    name: 'requests',
    needs: 'listRequests',
    load: withLogWords(() => import('./requests/service.tsx')),
  },
  {
    path: '/replies',
    group: 'monitor',
    icon: 'reply',
    name: 'unassigned',
    needs: 'attributeReply',
    load: withLogWords(() => import('./replies/unassigned.tsx')),
  },
  {
    path: '/workspaces',
    group: 'customers',
    icon: 'grid',
    name: 'workspaces',
    needs: 'listWorkspaces',
    load: withBillingWords(withServiceWords(() => import('./workspaces/screen.tsx'))),
  },
  {
    path: '/workspaces/:id',
    name: 'workspaces',
    needs: 'changeWorkspace',
    load: withBillingWords(withServiceWords(() => import('./workspaces/one.tsx'))),
  },
  {
    path: '/review',
    group: 'customers',
    icon: 'review',
    name: 'review',
    needs: 'approveTemplate',
    load: withServiceWords(() => import('./review/screen.tsx')),
  },
  {
    path: '/carriers',
    group: 'network',
    icon: 'carrier',
    name: 'carriers',
    needs: 'listCarriers',
    load: withServiceWords(() => import('./carriers/screen.tsx')),
  },
  {
    path: '/carriers/new',
    icon: 'plus',
    name: 'newCarrier',
    needs: 'createCarrier',
    load: withServiceWords(() => import('./carriers/new.tsx')),
  },
  {
    path: '/carriers/:id',
    name: 'carriers',
    needs: 'getCarrier',
    load: withServiceWords(() => import('./carriers/carrier.tsx')),
  },
  {
    path: '/phone',
    group: 'network',
    icon: 'phone',
    name: 'phone',
    needs: 'listHandsetMessages',
    load: () => import('./phone/screen.tsx'),
  },
  {
    path: '/people',
    group: 'account',
    icon: 'admin',
    name: 'people',
    needs: 'listOperators',
    load: withLogWords(() => import('./team/operators.tsx')),
  },
  { path: '/account', name: 'account', needs: 'getAccount', load: () => import('./account/screen.tsx') },
]
