// Requests of a workspace for credit.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { declineCreditRequest, requestCredit, withdrawCreditRequest } from '../../actions/workspaces/credit-requests.ts'
import { refuseField } from '../../domain/refusals.ts'
import { respond, sendRefusal } from '../../http/reply.ts'
import type { TypedServer } from '../../http/validation.ts'
import { callerOf } from '../authenticate.ts'
import { endpointsOf, OWNERS, WORKSPACE_OPERATORS } from '../endpoint.ts'
import { amount, byId, line } from '../fields.ts'
import { workspaceAnswer, workspaceView } from './workspaces.ts'

const newRequest = z
  .strictObject({
    amount: amount.describe('Requested amount.'),
    note: line(500).nullable().default(null).describe('Note for the operator.'),
  })
  .meta({ title: 'NewCreditRequest' })

const decline = z
  .strictObject({ reason: line(500).nullable().default(null).describe('Reason for the owners.') })
  .meta({ title: 'CreditRequestDecline' })

const endpoint = endpointsOf('Workspaces')
const calls = {
  request: endpoint(OWNERS, {
    operationId: 'requestCredit',
    summary: 'Request credit',
    description:
      'Replaces an open request. Operators see it on Overview and, if mail is set up, get one mail, at most one per hour and workspace.',
    params: byId,
    body: newRequest,
    response: { 200: workspaceAnswer },
  }),
  withdraw: endpoint(OWNERS, {
    operationId: 'withdrawCreditRequest',
    summary: 'Withdraw the credit request',
    params: byId,
    response: { 200: workspaceAnswer },
    refusals: ['conflict'],
  }),
  decline: endpoint(WORKSPACE_OPERATORS, {
    operationId: 'declineCreditRequest',
    summary: 'Decline the credit request',
    description: 'A top-up grants it. If mail is set up, owners get one mail about the decision.',
    params: byId,
    body: decline,
    response: { 200: workspaceAnswer },
    refusals: ['conflict'],
  }),
}

export function mountCreditRequests(app: TypedServer, ports: Ports): void {
  app.put('/workspaces/:id/credit-request', calls.request, async (request, reply) => {
    const { amount: amountE4, note } = request.body
    if (amountE4 === 0) return sendRefusal(reply, refuseField('amount', 'Must be greater than zero'))
    const result = await requestCredit(ports, callerOf(request), { id: request.params.id, amountE4, note })
    return respond(reply, result, { view: (it) => workspaceView(it, ports) })
  })

  app.delete('/workspaces/:id/credit-request', calls.withdraw, async (request, reply) => {
    const result = await withdrawCreditRequest(ports, callerOf(request), request.params.id)
    return respond(reply, result, { view: (it) => workspaceView(it, ports) })
  })

  app.post('/workspaces/:id/credit-request/decline', calls.decline, async (request, reply) => {
    const { id } = request.params
    const result = await declineCreditRequest(ports, callerOf(request), { id, reason: request.body.reason })
    return respond(reply, result, { view: (it) => workspaceView(it, ports) })
  })
}
