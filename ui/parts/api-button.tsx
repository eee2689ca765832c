// The API request behind a list or an action: a button that opens it in a drawer, as a command line and as code.
import { useState } from 'preact/hooks'
import type { Input } from '../api/address.ts'
import type { Calls } from '../api/calls.ts'
import { Lazy } from '../lazy.tsx'
import { words } from '../words/index.ts'
import { Icon } from './icon.tsx'

const loadDrawer = () => import('./api-drawer.tsx')

export function ApiButton<Name extends keyof Calls>({ of, input }: { of: Name; input: Input<Name> }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)} title={words.parts.viewRequest} aria-haspopup="dialog">
        <Icon name="code" />
        API
      </button>
      {isOpen && <Lazy load={loadDrawer} name={of} input={input} close={() => setOpen(false)} />}
    </>
  )
}
