// The callback URL to which an HTTP carrier posts delivery receipts (D52).
import { z } from 'zod'
import { getCallbackToken } from '../../actions/carriers/carrier-callbacks.ts'
import type { Ports } from '../../actions/ports.ts'
import { callbackUrlOf } from '../../domain/carriers/http/callback.ts'
import { type PublicUrl, printableAddress } from '../../http/address.ts'
import { respond } from '../../http/reply.ts'
import type { TypedServer } from '../../http/validation.ts'
import { callerOf } from '../authenticate.ts'
import { endpointsOf, fresh, OPERATORS } from '../endpoint.ts'
import { byId } from '../fields.ts'

const telling = endpointsOf('Carriers')(fresh(OPERATORS), {
  operationId: 'getCarrierCallback',
  summary: 'Get the receipt callback URL',
  description:
    'The URL to which an HTTP carrier posts delivery receipts. It authenticates the carrier, so keep it secret.',
  params: byId,
  body: z
    .strictObject({
      renew: z.boolean().default(false).describe('Create a new URL; the previous URL stops working immediately.'),
    })
    .nullish()
    .meta({ title: 'CarrierCallbackRequest' }),
  response: { 200: z.object({ callbackUrl: z.string() }).meta({ title: 'CarrierCallback' }) },
  refusals: ['conflict'],
})

export function mountCarrierCallbacks(
  app: TypedServer,
  ports: Ports,
  { ways: { publicUrl } }: { ways: { publicUrl: PublicUrl } },
): void {
  app.post('/carriers/:id/callback', telling, async (request, reply) => {
    const { renew = false } = request.body ?? {}
    const result = await getCallbackToken(ports, callerOf(request), { id: request.params.id, renew })
    const origin = printableAddress(request, publicUrl)
    return respond(reply, result, { view: ({ token }) => ({ callbackUrl: callbackUrlOf(origin, token) }) })
  })
}
