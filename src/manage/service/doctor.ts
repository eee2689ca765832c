// Health checks of the service for the operator.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { type Carrier, submissionRules } from '../../domain/carriers/carrier.ts'
import { firstSlot, NO_FIGURES } from '../../domain/carriers/carrier-figures.ts'
import { carrierHealth } from '../../domain/carriers/carrier-health.ts'
import { deadlineSeconds } from '../../domain/messages/lifetime.ts'
import { UNMATCHED_SECONDS } from '../../domain/messages/receipt-cause.ts'
import { type CarrierFacts, diagnose, FINDING_CODES, type HealthFinding } from '../../domain/service/doctor.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listBindsAsOf, type StoredBind } from '../../store/carriers/carrier-binds.ts'
import { countCarrierProblems } from '../../store/carriers/carrier-figures.ts'
import { listAllCarriers } from '../../store/carriers/carriers.ts'
import { listCountries } from '../../store/carriers/countries.ts'
import { listWorkingRoutes } from '../../store/carriers/routes.ts'
import type { Db } from '../../store/database/db.ts'
import { countUnmatched } from '../../store/messages/unmatched-receipts.ts'
import { countForDoctor, countInDoubt, listWorkspacesWithoutCredit } from '../../store/service/overview.ts'
import { readService } from '../../store/service/service.ts'
import { dbOf } from '../authenticate.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'

export const findingAnswer = z
  .object({
    state: z.enum(['ok', 'warning', 'error']),
    code: z.enum(FINDING_CODES),
    what: z.string().describe('The finding, with a command that helps.'),
    about: z
      .object({ kind: z.enum(['carrier', 'country', 'workspace']), id: z.string(), name: z.string() })
      .nullable()
      .describe('The carrier, country or workspace of the finding.'),
  })
  .meta({ title: 'Finding' })

const doctorAnswer = z
  .object({ ok: z.boolean().describe('Whether no finding is an `error`.'), findings: z.array(findingAnswer) })
  .meta({ title: 'HealthCheck' })

const checkingHealth = endpointsOf('Service')(OPERATORS, {
  operationId: 'checkHealth',
  summary: 'Check health',
  description: 'Problems that stop messages, and warnings, each with what to do.',
  response: { 200: doctorAnswer },
})

export function mountDoctor(app: TypedServer, ports: Ports): void {
  app.get('/doctor', checkingHealth, async (request) => {
    const { findings } = await checkService(dbOf(ports, request), ports.clock.now())
    return { ok: findings.every(({ state }) => state !== 'error'), findings }
  })
}

export interface CarrierSnapshot extends CarrierFacts {
  carrier: Carrier
  binds: StoredBind[]
}

interface SeenService {
  smsEnabled: boolean
  carriers: CarrierSnapshot[]
  routes: Awaited<ReturnType<typeof listWorkingRoutes>>
  liveCountries: { code: string; name: string }[]
  findings: HealthFinding[]
}

/** The longest lifetime of a message, plus a day. */
const DOUBT_SECONDS = deadlineSeconds('transactional') + 86_400

/** Reads all facts in one round trip, and derives the findings. */
export async function checkService(db: Db, now: Date): Promise<SeenService> {
  const countedSince = new Date(now.getTime() - UNMATCHED_SECONDS.counted * 1000)
  const [{ smsEnabled }, countries, all, binds, routes, unmatched, trouble, doubt, counts, withoutCredit] =
    await db.pipelined((it) =>
      Promise.all([
        readService(it),
        listCountries(it),
        listAllCarriers(it),
        listBindsAsOf(it, now),
        listWorkingRoutes(it, now),
        countUnmatched(it, countedSince),
        countCarrierProblems(it, firstSlot(now)),
        countInDoubt(it, new Date(now.getTime() - DOUBT_SECONDS * 1000)),
        countForDoctor(it),
        listWorkspacesWithoutCredit(it, now),
      ]),
    )
  const ofCarrier = Map.groupBy(binds, (bind) => bind.carrierId)
  // Newest first, as in lists.
  const carriers = all.toReversed().map((carrier): CarrierSnapshot => {
    const { id, name, enabled } = carrier
    const own = ofCarrier.get(id) ?? []
    const health = carrierHealth({ enabled, binds: own })
    const seen = { carrier, id, name, enabled, health, binds: own }
    const { receipts } = submissionRules(carrier)
    const counts = { unmatched: unmatched.get(id) ?? 0, inDoubt: doubt.get(id) ?? null, ...trouble.get(id) }
    return { ...NO_FIGURES, ...seen, receipts, ...counts }
  })
  const liveCountries = countries.filter(({ state }) => state === 'live').map(({ code, name }) => ({ code, name }))
  const findings = diagnose({ smsEnabled, liveCountries, carriers, routes, ...counts, withoutCredit })
  return { smsEnabled, carriers, routes, liveCountries, findings }
}
