// Our name for a message where a carrier takes one: its id without dashes, the same for each time it is sent.

export function referenceOf(messageId: string): string {
  return messageId.replaceAll('-', '')
}

/** The message that a reference would be of; null where it cannot be ours. */
export function messageIdOf(reference: string): string | null {
  const parts = /^([\da-f]{8})([\da-f]{4})(7[\da-f]{3})([89ab][\da-f]{3})([\da-f]{12})$/.exec(reference)
  return parts?.slice(1).join('-') ?? null
}
