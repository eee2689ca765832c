// A screen that is loaded when it is opened. If that fails, the console was updated, and a reload fixes it.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Screen } from './screens.ts'
import { words } from './words/index.ts'

const loaded = new Map<Screen['load'], ComponentType>()

export function Lazy({ load }: Pick<Screen, 'load'>) {
  const [state, setState] = useState<ComponentType | 'failed' | undefined>(() => loaded.get(load))
  useEffect(() => {
    let isWanted = true
    load().then(
      ({ Screen }) => {
        loaded.set(load, Screen)
        if (isWanted) setState(() => Screen)
      },
      () => isWanted && setState('failed'),
    )
    return () => {
      isWanted = false
    }
  }, [load])
  if (state === undefined) return <p class="hidden">{words.shell.loading}</p>
  if (state === 'failed') {
    return (
      <div class="stack">
        <p>{words.shell.loadFailed}</p>
        <p>
          <button type="button" onClick={() => location.reload()}>
            {words.shell.reload}
          </button>
        </p>
      </div>
    )
  }
  const Loaded = state
  return <Loaded />
}
