// The drawer with an API request, as curl, TypeScript and Python.
import { useState } from 'preact/hooks'
import type { Calls } from '../api/calls.ts'
import { EXAMPLE_LANGUAGES, type ExampleLanguage, exampleOf, requestOf } from '../api/examples.ts'
import { words } from '../words/index.ts'
import { Code } from './code.tsx'
import { Dialog } from './dialog.tsx'
import { Segmented } from './segmented.tsx'

interface Props {
  name: keyof Calls
  input: object
  close: () => void
}

export function Screen({ name, input, close }: Props) {
  const request = requestOf(name, input, location.origin)
  const [language, setLanguage] = useState<ExampleLanguage>('curl')
  return (
    <Dialog title={words.parts.apiRequest} close={close} shape="drawer">
      <p class="mono foreign">
        {request.method} {new URL(request.url).pathname}
      </p>
      <Code text={exampleOf(language, request)}>
        <Segmented
          label={words.start.language}
          value={language}
          of={EXAMPLE_LANGUAGES.map((it) => [it, words.start.languages[it]] as const)}
          set={setLanguage}
        />
      </Code>
      <p class="quiet">{words.parts.tokenHint}</p>
    </Dialog>
  )
}
