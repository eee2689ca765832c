// The status of a carrier, and how many of its connections are up.
import type { Now } from '../api/calls.ts'
import { words } from '../words/index.ts'
import { count } from './format.ts'
import { Pill, type Tone } from './status.tsx'

type Carrier = Now['carriers'][number]

const TONES: Record<Carrier['health']['state'], Tone> = { working: 'good', broken: 'bad', down: 'bad', off: 'idle' }

export function Health({ state, reason }: Pick<Carrier['health'], 'state' | 'reason'>) {
  return <Pill tone={TONES[state]} word={words.now.healthState[state]} note={reason} />
}

export function boundOf(binds: Carrier['state']): string {
  return `${count(binds.filter(({ state }) => state === 'bound').length)}/${count(binds.length)}`
}
