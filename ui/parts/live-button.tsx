// Shows whether the list is live; a click, or `l`, toggles it.
import { words } from '../words/index.ts'
import { useKeys } from './keys.tsx'
import { liveState } from './live.ts'
import { Dot, type Tone } from './status.tsx'
import { useStore } from './store.ts'

const TONES: Record<ReturnType<typeof stateOf>, Tone> = { on: 'good', paused: 'neutral', away: 'warning' }

export function LiveButton({ isOn, set }: { isOn: boolean; set: (isOn: boolean) => void }) {
  const state = stateOf(useStore(liveState), isOn)
  useKeys({ l: [words.keys.live, () => set(!isOn)] })
  return (
    <button type="button" aria-pressed={isOn} title={words.live.hints[state]} onClick={() => set(!isOn)}>
      <Dot tone={TONES[state]} />
      {words.live.states[state]} <kbd aria-hidden="true">l</kbd>
    </button>
  )
}

function stateOf(state: typeof liveState.value, isOn: boolean): 'on' | 'paused' | 'away' {
  if (!isOn) return 'paused'
  return state === 'away' ? 'away' : 'on'
}
