// The settings of a workspace: as text in a form, and as the API takes them.
import type { NewWorkspace, Workspace, WorkspaceChange } from '../api/calls.ts'
import type { MessageType } from '../parts/message-types.ts'
import { numberOf } from '../parts/number-of.ts'
import type { Tone } from '../parts/status.tsx'

export interface Settings {
  name: string
  country: string
  currency: string
  timeZone: string
  plan: Workspace['plan']
  status: Workspace['status']
  monthlyCredit: string
  transactional: string
  otp: string
  promotional: string
  types: readonly MessageType[]
  countries: string
  templatesRequired: boolean
  maxClients: string
}

export const DEFAULTS: Settings = {
  name: '',
  country: 'NP',
  currency: 'NPR',
  timeZone: 'Asia/Kathmandu',
  plan: 'standard',
  status: 'active',
  monthlyCredit: '1000',
  transactional: '1.5',
  otp: '1.2',
  promotional: '1',
  types: ['transactional', 'otp'],
  countries: '',
  templatesRequired: true,
  maxClients: '20',
}

export function settingsOf(workspace: Workspace): Settings {
  const { name, country, currency, timeZone, plan, status, rate, allowedTypes, allowedCountries } = workspace
  return {
    ...{ name, country, currency, timeZone, plan, status },
    monthlyCredit: String(workspace.monthlyCredit),
    transactional: String(rate.transactional),
    otp: String(rate.otp),
    promotional: String(rate.promotional),
    types: allowedTypes,
    countries: allowedCountries?.join(', ') ?? '',
    templatesRequired: workspace.templatesRequired,
    maxClients: String(workspace.maxClients),
  }
}

export function changeOf(it: Settings): WorkspaceChange & Pick<NewWorkspace, 'name' | 'monthlyCredit' | 'rate'> {
  return {
    name: it.name,
    plan: it.plan,
    status: it.status,
    monthlyCredit: numberOf(it.monthlyCredit),
    rate: {
      transactional: numberOf(it.transactional),
      otp: numberOf(it.otp),
      promotional: numberOf(it.promotional),
    },
    allowedTypes: [...it.types],
    allowedCountries: it.countries.trim() === '' ? null : wordsOf(it.countries),
    templatesRequired: it.templatesRequired,
    maxClients: numberOf(it.maxClients),
  }
}

export function newOf(it: Settings): NewWorkspace {
  const { country, currency, timeZone } = it
  return { ...changeOf(it), country: country.trim().toUpperCase(), currency, timeZone }
}

function wordsOf(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .map((word) => word.toUpperCase())
}

export const STATUS_TONES: Record<Workspace['status'], Tone> = { active: 'good', pending: 'warn', suspended: 'bad' }
