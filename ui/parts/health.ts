// How a carrier does, as a colour.
import type { Now } from '../api/calls.ts'
import type { Tone } from './status.tsx'

type State = Now['carriers'][number]['health']['state']

const TONES: Record<State, Tone> = { working: 'good', broken: 'bad', down: 'bad', off: 'going' }

export function healthTone(state: State): Tone {
  return TONES[state]
}
