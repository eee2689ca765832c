// The API request behind a list or an action, as a command line to copy.
import { useState } from 'preact/hooks'
import { asCurl, type Input } from '../api/call.ts'
import type { Calls } from '../api/calls.ts'
import { words } from '../words/index.ts'
import { Copy } from './copy.tsx'
import { Dialog } from './dialog.tsx'

export function Curl<Name extends keyof Calls>({ of, input }: { of: Name; input: Input<Name> }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="link" onClick={() => setOpen(true)}>
        {words.parts.viewRequest}
      </button>
      {isOpen && (
        <Dialog title={words.parts.apiRequest} close={() => setOpen(false)} isWide>
          <pre>
            <Copy text={asCurl(of, input)} />
          </pre>
        </Dialog>
      )}
    </>
  )
}
