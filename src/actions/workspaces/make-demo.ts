// Creates the demo workspace and its API clients at the first start.
import type { Tx } from '../../store/database/db.ts'
import { lockService, setDemoMade } from '../../store/service/service.ts'
import type { ClientSettings } from '../../store/workspaces/clients.ts'
import type { WorkspaceSettings } from '../../store/workspaces/workspaces.ts'
import { type Ports, THE_SERVICE } from '../ports.ts'
import { addClient } from './manage-clients.ts'
import { addWorkspace } from './manage-workspaces.ts'

export interface DemoKeys {
  liveApiKey: string
  testApiKey: string
}

/** D19: a test client sends nothing, so its OTP is fixed. */
export const DEMO_TEST_OTP_CODE = '123456'

const workspaceSettings: WorkspaceSettings = {
  name: 'Demo',
  country: 'NP',
  currency: 'NPR',
  timeZone: 'Asia/Kathmandu',
  plan: 'enterprise',
  status: 'active',
  monthlyCreditE4: 10_000_000,
  priceE4: { transactional: 15_000, otp: 12_000, promotional: 10_000 },
  allowedTypes: ['transactional', 'otp', 'promotional'],
  allowedCountries: null,
  // For tests with free texts.
  templatesRequired: false,
  maxClients: 20,
  carrierFields: {},
}

const clientSettings: Omit<ClientSettings, 'name' | 'testOtpCodeSealed'> = {
  brandName: 'Hulaki Demo',
  defaultSender: 'Hulaki',
  webhookUrl: null,
  requestsPerSecond: 20,
  onlyTypes: null,
  onlyNetworks: null,
  onlyPrefixes: null,
  dailyCap: null,
  hourlyCapPerNumber: null,
  pumpingGuard: 'monitor',
  pumpingAllowlist: null,
  setByOperator: {},
}

/** Once per database; null if it was created before. */
export function makeDemo(ports: Ports): Promise<DemoKeys | null> {
  return ports.db.transaction(async (tx) => {
    const { demoMadeAt } = await lockService(tx)
    if (demoMadeAt) return null
    await setDemoMade(tx, ports.clock.now())
    const workspace = await addWorkspace(tx, { ports, caller: THE_SERVICE, settings: workspaceSettings })
    const liveApiKey = await makeKey(tx, ports, { workspaceId: workspace.id, mode: 'live' })
    const testApiKey = await makeKey(tx, ports, { workspaceId: workspace.id, mode: 'test' })
    return { liveApiKey, testApiKey }
  })
}

async function makeKey(
  tx: Tx,
  ports: Ports,
  { workspaceId, mode }: { workspaceId: string; mode: 'live' | 'test' },
): Promise<string> {
  const settings = { name: `Demo ${mode}`, ...clientSettings }
  const request = { workspaceId, mode, settings, testOtpCode: mode === 'test' ? DEMO_TEST_OTP_CODE : null }
  return (await addClient(tx, { ports, caller: THE_SERVICE, request })).apiKey
}
