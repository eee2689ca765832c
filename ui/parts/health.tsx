// The status of a carrier, and how many of its connections are up.
import type { Now } from '../api/calls.ts'
import { words } from '../words/index.ts'
import { count } from './format.ts'
import { Status, type Tone } from './status.tsx'

type Carrier = Now['carriers'][number]

const TONES: Record<Carrier['health']['state'], Tone> = { working: 'good', broken: 'bad', down: 'bad', off: 'neutral' }

export function Health({ state, reason }: Pick<Carrier['health'], 'state' | 'reason'>) {
  return (
    <Status tone={TONES[state]}>
      {words.now.healthState[state]} <span class="quiet foreign">{reason}</span>
    </Status>
  )
}

export function boundOf(binds: Carrier['state']): string {
  return `${count(binds.filter(({ state }) => state === 'bound').length)}/${count(binds.length)}`
}
