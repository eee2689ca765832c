// A number as a form has it, which is text.
/** What is no number is sent as it is, so that the service says what is wrong with it. */
export function numberOf(text: string): number {
  const trimmed = text.trim()
  return trimmed === '' || Number.isNaN(Number(trimmed)) ? (trimmed as unknown as number) : Number(trimmed)
}
