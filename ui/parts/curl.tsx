// Every list and every act offers its call as a command line.
import { asCurl, type Input } from '../api/call.ts'
import type { Calls } from '../api/calls.ts'
import { words } from '../words/index.ts'
import { Copy } from './copy.tsx'

export function Curl<Name extends keyof Calls>({ of, input }: { of: Name; input: Input<Name> }) {
  return (
    <Copy text={asCurl(of, input)} label={words.parts.copyCurl}>
      {words.parts.curl}
    </Copy>
  )
}
