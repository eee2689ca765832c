// The trace of a message has the message's id, so every process can add spans to it without storing a trace context.

/** A UUID has as many bits as a trace id. */
export function traceIdOf(uuid: string): string {
  return uuid.replaceAll('-', '')
}

/** The first span: the message is accepted. */
export function messageTrace(messageId: string): { traceId: string; spanId: string } {
  const traceId = traceIdOf(messageId)
  return { traceId, spanId: traceId.slice(-16) }
}

/** For the later spans of the message. */
export function inMessageTrace(messageId: string): { traceId: string; parent: { spanId: string } } {
  const { traceId, spanId } = messageTrace(messageId)
  return { traceId, parent: { spanId } }
}
