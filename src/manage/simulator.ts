// The handsets of the simulator over HTTP, for the operator: the route exists only where a simulator runs.
import type { FastifyInstance } from 'fastify'
import type { HandsetMessage } from '../domain/handset-message.ts'

export type ListHandsetMessages = () => Promise<HandsetMessage[]>

export function mountSimulator(app: FastifyInstance, listMessages: ListHandsetMessages): void {
  app.get('/simulator/messages', async () => ({ items: await listMessages() }))
}
