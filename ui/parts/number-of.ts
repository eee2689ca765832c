// A number from the text of a form.
/** An invalid number is sent as it is, so that the API returns the error. */
export function numberOf(text: string): number {
  const trimmed = text.trim()
  return trimmed === '' || Number.isNaN(Number(trimmed)) ? (trimmed as unknown as number) : Number(trimmed)
}
