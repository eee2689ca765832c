// The onboarding steps of a workspace, and whether its messages go to the simulator.
import { z } from 'zod'
import { findSimulatorCarrier } from '../../actions/carriers/ensure-simulator-carrier.ts'
import type { Ports } from '../../actions/ports.ts'
import { updateOnboardingProgress } from '../../actions/workspaces/onboarding-progress.ts'
import { simulatedShare } from '../../domain/carriers/simulated.ts'
import { FIRST_STEPS } from '../../domain/workspaces/first-steps.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listCountries } from '../../store/carriers/countries.ts'
import { listWorkingRoutes } from '../../store/carriers/routes.ts'
import type { Db } from '../../store/database/db.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'
import { dbOf, loadWorkspace } from '../authenticate.ts'
import { endpointsOf, VIEWERS } from '../endpoint.ts'
import { byId } from '../fields.ts'

const simulatedAnswer = z
  .object({
    runs: z.boolean().describe('Whether a simulator runs.'),
    serves: z
      .enum(['all', 'some', 'none'])
      .describe('Share of the destinations of the workspace that are routed to the simulator.'),
  })
  .meta({ title: 'Simulated' })

const startAnswer = z
  .object({
    steps: z
      .array(z.object({ step: z.enum(FIRST_STEPS), doneAt: time.nullable() }))
      .describe(
        'When each step was first done, or null: API key used, message accepted, OTP verified, webhook delivered.',
      ),
    simulator: simulatedAnswer,
  })
  .meta({ title: 'Start' })

const reading = endpointsOf('Workspaces')(VIEWERS, {
  operationId: 'getStart',
  summary: 'Get onboarding progress',
  params: byId,
  response: { 200: startAnswer },
})

export function mountStart(app: TypedServer, ports: Ports, { isSimulated }: { isSimulated: boolean }): void {
  app.get('/workspaces/:id/start', reading, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const db = dbOf(ports, request)
    const [done, serves] = await Promise.all([
      updateOnboardingProgress(db, workspace.id),
      simulatedPartOf(db, workspace, ports.clock.now()),
    ])
    const times = { key: done.keyUsedAt, message: done.messageAt, code: done.codeVerifiedAt, webhook: done.webhookAt }
    return {
      steps: FIRST_STEPS.map((step) => ({ step, doneAt: times[step] })),
      simulator: { runs: isSimulated, serves },
    }
  })
}

/** The share of the workspace's countries that is routed to the simulator, for the badge of the console. */
async function simulatedPartOf(db: Db, { allowedCountries }: Pick<Workspace, 'allowedCountries'>, now: Date) {
  const [carrier, routes, countries] = await Promise.all([
    findSimulatorCarrier(db),
    listWorkingRoutes(db, now),
    listCountries(db),
  ])
  const live = countries.filter(({ state }) => state === 'live').map(({ code }) => code)
  const open = allowedCountries === null ? live : live.filter((code) => allowedCountries.includes(code))
  return simulatedShare(routes, { simulatorId: carrier?.enabled ? carrier.id : null, countries: open })
}
