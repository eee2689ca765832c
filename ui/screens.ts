// All screens: path, name, and the call that each needs. A role without that permission does not see the screen.
import type { ComponentType } from 'preact'
import type { Calls } from './api/calls.ts'
import type { Words } from './words/shape.ts'

export interface Screen {
  path: string
  name: keyof Words['screens']
  needs: keyof Calls
  /** Not in the sidebar: opened from another screen, or with ⌘K. */
  isAside?: boolean
  /** The path of its entry in the sidebar, where its own path does not show it. */
  under?: string
  load: () => Promise<{ Screen: ComponentType }>
}

/** Screens of one workspace, below /w/{id}. */
export const WORKSPACE_SCREENS: readonly Screen[] = [
  { path: '/start', name: 'start', needs: 'getStart', load: () => import('./start/screen.tsx') },
  { path: '/messages', name: 'messages', needs: 'listMessages', load: () => import('./messages/screen.tsx') },
  {
    path: '/messages/:id',
    name: 'message',
    needs: 'getTimeline',
    isAside: true,
    load: () => import('./message/screen.tsx'),
  },
  { path: '/codes', name: 'codes', needs: 'getCodeFunnel', load: () => import('./codes/screen.tsx') },
  {
    path: '/templates',
    name: 'templates',
    needs: 'listWorkspaceTemplates',
    load: () => import('./templates/screen.tsx'),
  },
  {
    path: '/requests',
    name: 'requests',
    needs: 'listRefusedRequests',
    isAside: true,
    under: '/clients',
    load: () => import('./requests/screen.tsx'),
  },
  { path: '/clients', name: 'clients', needs: 'listClients', load: () => import('./clients/screen.tsx') },
  {
    path: '/clients/:id',
    name: 'client',
    needs: 'getClient',
    isAside: true,
    load: () => import('./clients/client.tsx'),
  },
  {
    path: '/webhooks',
    name: 'webhooks',
    needs: 'listWorkspaceWebhookDeliveries',
    load: () => import('./webhooks/screen.tsx'),
  },
  {
    path: '/webhooks/:id',
    name: 'delivery',
    needs: 'getWebhookDelivery',
    isAside: true,
    load: () => import('./webhooks/delivery.tsx'),
  },
  { path: '/usage', name: 'usage', needs: 'getUsage', load: () => import('./usage/screen.tsx') },
  {
    path: '/phone',
    name: 'phone',
    needs: 'listWorkspaceHandsetMessages',
    isAside: true,
    load: () => import('./phone/screen.tsx').then(({ WorkspaceScreen }) => ({ Screen: WorkspaceScreen })),
  },
  { path: '/team', name: 'team', needs: 'listMembers', load: () => import('./team/screen.tsx') },
  { path: '/account', name: 'account', needs: 'getAccount', isAside: true, load: () => import('./account/screen.tsx') },
]

/** Screens of the whole service, for operators. */
export const SERVICE_SCREENS: readonly Screen[] = [
  { path: '/now', name: 'now', needs: 'getNow', load: () => import('./now/screen.tsx') },
  { path: '/workspaces', name: 'workspaces', needs: 'listWorkspaces', load: () => import('./workspaces/screen.tsx') },
  {
    path: '/workspaces/:id',
    name: 'workspaces',
    needs: 'changeWorkspace',
    isAside: true,
    load: () => import('./workspaces/one.tsx'),
  },
  { path: '/review', name: 'review', needs: 'approveTemplate', load: () => import('./review/screen.tsx') },
  { path: '/carriers', name: 'carriers', needs: 'listCarriers', load: () => import('./carriers/screen.tsx') },
  {
    path: '/carriers/:id',
    name: 'carriers',
    needs: 'getCarrier',
    isAside: true,
    load: () => import('./carriers/carrier.tsx'),
  },
  { path: '/phone', name: 'phone', needs: 'listHandsetMessages', load: () => import('./phone/screen.tsx') },
  { path: '/people', name: 'people', needs: 'listOperators', load: () => import('./team/operators.tsx') },
  { path: '/account', name: 'account', needs: 'getAccount', isAside: true, load: () => import('./account/screen.tsx') },
]
