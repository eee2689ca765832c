// The workspace a first start makes to try things out with, and the keys to it.
import { Refusal } from '../domain/refusals.ts'
import { lockService, setDemoMade } from '../store/service.ts'
import { type House, THE_SERVICE } from './house.ts'
import { createClient } from './manage-clients.ts'
import { createWorkspace } from './manage-workspaces.ts'

export interface DemoKeys {
  liveApiKey: string
  testApiKey: string
}

/** Once per database; null when it was made before. */
export async function makeDemo(house: House): Promise<DemoKeys | null> {
  const first = await house.db.transaction(async (tx) => {
    const { demoMadeAt } = await lockService(tx)
    if (demoMadeAt) return false
    await setDemoMade(tx, house.clock.now())
    return true
  })
  if (!first) return null
  const workspace = await createWorkspace(house, THE_SERVICE, {
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
    // Whoever tries things out sends what comes to mind.
    templatesRequired: false,
  })
  const make = async (name: string, mode: 'live' | 'test') => {
    const settings = {
      name,
      brandName: 'Hulaki Demo',
      defaultSender: 'Hulaki',
      webhookUrl: null,
      requestsPerSecond: 20,
      onlyTypes: null,
      onlyNetworks: null,
      onlyPrefixes: null,
      dailyCap: null,
      hourlyCapPerNumber: null,
      pumpingGuard: 'monitor' as const,
    }
    const created = await createClient(house, THE_SERVICE, {
      workspaceId: workspace.id,
      mode,
      settings,
      testOtpCode: null,
    })
    if (created instanceof Refusal) throw new Error(created.error)
    return created.apiKey
  }
  return { liveApiKey: await make('Demo live', 'live'), testApiKey: await make('Demo test', 'test') }
}
