// The review status of a template.
import type { Template } from '../api/calls.ts'
import { Pill, type Tone } from '../parts/status.tsx'
import { words } from '../words/index.ts'

type State = Template['status']

export const STATUSES: readonly State[] = ['approved', 'pending', 'rejected']
export const TONES: Record<State, Tone> = { approved: 'good', pending: 'idle', rejected: 'bad' }

export function Review({ status }: Pick<Template, 'status'>) {
  return <Pill tone={TONES[status]} word={words.templates.states[status]} />
}
