// The status of a workspace as a colour.
import type { Workspace } from '../api/calls.ts'
import type { Tone } from '../parts/status.tsx'

const TONES: Record<Workspace['status'], Tone> = { active: 'good', pending: 'doubtful', suspended: 'bad' }

export function toneOf(status: Workspace['status']): Tone {
  return TONES[status]
}
