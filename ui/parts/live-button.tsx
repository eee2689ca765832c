// Shows whether the list is live; a click, or `l`, toggles it.
import { streamState } from '../api/stream.ts'
import { words } from '../words/index.ts'
import { useKeys } from './keys.ts'
import css from './live-button.module.css'
import { Dot, type Tone } from './status.tsx'
import { useStore } from './store.ts'

const TONES: Record<ReturnType<typeof stateOf>, Tone> = { on: 'good', paused: 'idle', away: 'warn' }

export function LiveButton({ isOn, set }: { isOn: boolean; set: (isOn: boolean) => void }) {
  const state = stateOf(useStore(streamState), isOn)
  useKeys({ l: [words.keys.live, () => set(!isOn)] })
  return (
    <button
      type="button"
      class={css.live}
      aria-pressed={isOn}
      title={words.live.hints[state]}
      onClick={() => set(!isOn)}
    >
      <Dot tone={TONES[state]} />
      {words.live.states[state]}
    </button>
  )
}

function stateOf(state: typeof streamState.value, isOn: boolean): 'on' | 'paused' | 'away' {
  if (!isOn) return 'paused'
  return state === 'away' ? 'away' : 'on'
}
