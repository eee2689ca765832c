// How an endpoint of the v1 API describes itself.
import type { EndpointSchema as AnyEndpointSchema } from '../../http/openapi/endpoint.ts'

export interface EndpointSchema extends AnyEndpointSchema {
  tag: Tag
}

export const TAGS = {
  Messages: 'Send text, and follow it to the handset.',
  'One-time passwords': 'Prove that a user holds a number. The service makes the code, sends it, and checks it.',
  Account: 'What is left, what it costs, and where it can go.',
  Webhooks: 'What the service tells your server.',
} as const
export type Tag = keyof typeof TAGS
