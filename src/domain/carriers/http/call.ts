// What every HTTP call to a carrier is made of: its method, authentication and body.

export const HTTP_METHODS = ['POST', 'PUT', 'GET'] as const

/** Who we are; every text is a template over secrets. */
export type HttpAuth =
  | { kind: 'header'; name: string; value: string }
  | { kind: 'basic'; user: string; password: string }
  | { kind: 'query'; name: string; value: string }

/** Templates are the texts within the JSON, or the values of the fields. */
export type HttpBody = { kind: 'json'; value: Json } | { kind: 'form'; fields: Record<string, string> }

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
