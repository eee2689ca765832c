// A screen that is loaded when it is opened. If that fails, the console was updated, and a reload fixes it.
import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { words } from './words/index.ts'

type Load<Props> = () => Promise<{ Screen: FunctionComponent<Props> }>

const loaded = new Map<unknown, unknown>()

/** The other properties are those of the loaded component. */
export function Lazy<Props extends object>({ load, ...props }: { load: Load<Props> } & NoInfer<Props>) {
  const [state, setState] = useState(() => loaded.get(load) as FunctionComponent<Props> | 'failed' | undefined)
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
  return <Loaded {...(props as unknown as Props)} />
}
