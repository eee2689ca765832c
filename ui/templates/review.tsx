// The review status of a template.
import type { Template } from '../api/calls.ts'
import { Status, type Tone } from '../parts/status.tsx'
import { words } from '../words/index.ts'

type State = Template['status']

export const STATUSES: readonly State[] = ['approved', 'pending', 'rejected']
export const TONES: Record<State, Tone> = { approved: 'good', pending: 'neutral', rejected: 'bad' }

export function Review({ status }: Pick<Template, 'status'>) {
  return <Status tone={TONES[status]}>{words.templates.states[status]}</Status>
}
