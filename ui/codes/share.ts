// How many of a hundred.
import { share } from '../parts/format.ts'

export function shareOf(codes: number, sent: number): string {
  return sent === 0 ? '–' : share(codes / sent)
}
