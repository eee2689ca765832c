// Removes a person's number and texts from all stored data.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { forgetNumber, MAX_FORGOTTEN } from '../../actions/service/forget-number.ts'
import { REMOVED_NUMBER } from '../../domain/people/masking.ts'
import type { TypedServer } from '../../http/validation.ts'
import { callerOf } from '../authenticate.ts'
import { endpointsOf, fresh, OPERATORS } from '../endpoint.ts'

const numberToForget = z
  .strictObject({
    number: z
      .string()
      .regex(/^\+[1-9]\d{6,14}$/, 'Must be a number with the plus and the country code, such as +9779841234567')
      .describe('Number in E.164.'),
  })
  .meta({ title: 'NumberToForget' })

const forgottenAnswer = z
  .object({
    messages: z.int().describe('Messages that this call changed.'),
    replies: z.int().describe('Replies that this call changed.'),
    unfinished: z
      .int()
      .describe(
        'Messages, replies and carrier tests that keep the number, because they or their webhook events are not final. Repeat the call later.',
      ),
    isDone: z.boolean().describe('false: more messages or replies follow. Repeat the call.'),
  })
  .meta({ title: 'ForgottenNumber' })

const forgetting = endpointsOf('Service')(fresh(OPERATORS), {
  operationId: 'forgetNumber',
  summary: 'Remove a number and its texts',
  description: `Replaces the number by \`${REMOVED_NUMBER}\` in messages, submissions, replies, webhook events and carrier tests, and deletes the texts, the responses of webhook endpoints, and captured traffic. Counts, statuses, the ledger and the audit log stay. Changes up to ${MAX_FORGOTTEN} messages and ${MAX_FORGOTTEN} replies per call. Backups are not changed.`,
  body: numberToForget,
  response: { 200: forgottenAnswer },
})

export function mountForget(app: TypedServer, ports: Ports): void {
  app.post('/numbers/forget', forgetting, (request) => forgetNumber(ports, callerOf(request), request.body.number))
}
