// Health checks of the service for the operator.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { checkService } from '../../actions/service/check-service.ts'
import type { TypedServer } from '../../http/validation.ts'
import { dbOf } from '../authenticate.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'
import { findingAnswer, incidentAnswer, incidentView, verdictAnswer } from './incident-answers.ts'

const doctorAnswer = z
  .object({
    ok: z.boolean().describe('Whether the verdict is not `outage`.'),
    verdict: verdictAnswer,
    incidents: z.array(incidentAnswer).describe('Worst first.'),
    findings: z.array(findingAnswer).describe('Passing checks, and incidents as sentences.'),
  })
  .meta({ title: 'HealthCheck' })

const checkingHealth = endpointsOf('Service')(OPERATORS, {
  operationId: 'checkHealth',
  summary: 'Check health',
  description: 'Incidents with their impact and what to do next, and passing checks.',
  response: { 200: doctorAnswer },
})

export function mountDoctor(app: TypedServer, ports: Ports): void {
  app.get('/doctor', checkingHealth, async (request) => {
    const { verdict, incidents, findings } = await checkService(dbOf(ports, request), ports.clock.now())
    return { ok: verdict !== 'outage', verdict, incidents: incidents.map(incidentView), findings }
  })
}
