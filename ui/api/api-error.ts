// The error of a call: the message, the code, and the request ID for the log.

interface Detail {
  path: (string | number)[]
  message: string
}

export class ApiError extends Error {
  /** 0 where there was no response. */
  readonly status: number
  readonly code: string
  readonly details: readonly Detail[]
  readonly requestId: string | null
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | null

  constructor({ status, code, message, details = [], requestId = null, retryAfter = null }: ApiErrorFacts) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.requestId = requestId
    this.retryAfter = retryAfter
  }

  /** The error of one field of the body. */
  of(field: string): string | null {
    return this.details.find(({ path }) => path.join('.') === field)?.message ?? null
  }
}

interface ApiErrorFacts {
  status: number
  code: string
  message: string
  details?: readonly Detail[]
  requestId?: string | null
  retryAfter?: number | null
}

/** No response, or an error of a proxy. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || [502, 503, 504].includes(error.status))
}

export async function readApiError(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('x-request-id')
  const retryAfter = Number(response.headers.get('retry-after')) || null
  const body = (await response.json().catch(() => null)) as {
    code?: unknown
    error?: unknown
    details?: unknown
  } | null
  return new ApiError({
    status: response.status,
    code: typeof body?.code === 'string' ? body.code : 'unknown',
    message: typeof body?.error === 'string' ? body.error : `${response.status} ${response.statusText}`,
    details: Array.isArray(body?.details) ? body.details : [],
    requestId,
    retryAfter,
  })
}
