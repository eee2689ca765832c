// The handsets of the simulator over HTTP, for the operator: the route exists only where a simulator runs.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { HandsetMessage } from '../domain/handset-message.ts'
import { time } from '../http/time.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { endpointsOf } from './endpoint.ts'

export type ListHandsetMessages = () => Promise<HandsetMessage[]>

const handsetAnswer = z
  .object({ items: z.array(z.object({ to: z.string(), from: z.string(), text: z.string(), receivedAt: time })) })
  .meta({ title: 'HandsetMessageList' })

const listing = endpointsOf('Trying out')(
  { roles: ['operator'], scope: 'service' },
  {
    operationId: 'listHandsetMessages',
    summary: 'List what reached the handsets of the simulator',
    description: 'The latest ones. Only where a simulator runs.',
    response: { 200: handsetAnswer },
  },
)

export function mountSimulator(server: FastifyInstance, listMessages: ListHandsetMessages): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get('/simulator/messages', listing, async () => ({ items: await listMessages() }))
}
