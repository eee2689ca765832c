// Get started: four steps that tick when they really happened, a test code that is sent and verified here, and the same as code.
import { useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Client } from '../api/calls.ts'
import { useCall } from '../api/use.ts'
import { useCan, useWorkspace } from '../caller.ts'
import { useClients } from '../parts/clients.ts'
import { Code } from '../parts/code.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Page } from '../parts/page.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { exampleIn, LANGUAGES, type SnippetLanguage } from './snippets.ts'
import { Progress, Steps } from './steps.tsx'
import { TestCode } from './test-code.tsx'

const TOPICS = ['messages', 'codes', 'requests', 'webhooks', 'settings'] as const
const ANY_NUMBER = '+9779800000001'

export function Screen() {
  const { id, templatesRequired } = useWorkspace()
  const can = useCan()
  const [chosen, choose] = useUrlState({ client: '', to: ANY_NUMBER, in: 'curl' })
  const input = { params: { id } }
  const [isInProgress, setInProgress] = useState(true)
  // The steps are live until all are done.
  const { data: start, error } = useCall('getStart', input, isInProgress ? { topics: TOPICS } : {})
  const done = start?.steps.filter(({ doneAt }) => doneAt !== null).length ?? 0
  const isAllDone = start !== undefined && done === start.steps.length
  useEffect(() => setInProgress(!isAllDone), [isAllDone])
  const { clients, isKnown } = useClients()
  const client = chosenOf(clients, chosen.client)
  return (
    <Page
      title={words.screens.start}
      about={isAllDone ? words.start.allDone : words.start.intro}
      hasTimes
      actions={start && <Progress done={done} of={start.steps.length} />}
    >
      {error && !start && <ErrorNote error={error} />}
      {start && isKnown && (
        <>
          <Steps
            start={start}
            hints={{
              key: client
                ? undefined
                : can('createClient') && <Link href="/clients?make=client">{words.start.createClient}</Link>,
              message: client && can('sendMessage') && <Link href="/messages?make=message">{words.messages.send}</Link>,
              webhook: (
                <>
                  {words.start.run} <code>hulaki listen</code>
                </>
              ),
            }}
          />
          {client && can('sendTestOtp') && (
            <TestCode
              clients={clients}
              client={client}
              to={chosen.to}
              simulator={start.simulator}
              chooseClient={(it) => choose({ client: it })}
              chooseNumber={(to) => choose({ to }, { replace: true })}
            />
          )}
          {templatesRequired && (
            <p class="quiet">
              {words.start.templateNote} <Link href="/templates">{words.start.viewTemplates}</Link>
            </p>
          )}
          {client && <Example client={client} to={chosen.to} language={languageOf(chosen.in)} />}
        </>
      )}
    </Page>
  )
}

interface ExampleProps {
  client: Client
  to: string
  language: SnippetLanguage
}

/** Only requests that the workspace accepts: free text needs an approved template where one is required, an OTP does not. */
function Example({ client, to, language }: ExampleProps) {
  const { id, templatesRequired } = useWorkspace()
  const [{ client: chosen }] = useUrlState({ client: '' })
  const query = { status: 'approved', limit: 20 } as const
  const { data } = useCall('listWorkspaceTemplates', { params: { id }, query }, { when: templatesRequired === true })
  const template = data?.items.find(({ type }) => type === 'transactional')
  const text = templatesRequired ? template?.text.replaceAll(/\{\{[^}]*\}\}/g, '1') : 'Namaste from Hulaki'
  const root = `${location.origin}/api/sms/v1`
  const hrefOf = (it: SnippetLanguage) => `/start?in=${it}${chosen && `&client=${chosen}`}`
  return (
    <Code
      title={words.start.example}
      text={exampleIn(language, { root, clientName: client.name, keyPrefix: client.keyPrefix, to, text })}
    >
      <Tabs
        label={words.start.language}
        of={LANGUAGES.map((it) => [hrefOf(it), words.start.languages[it], it === language] as const)}
      />
    </Code>
  )
}

/** The chosen client, or the latest live one. */
function chosenOf(clients: readonly Client[], id: string): Client | undefined {
  const working = clients.filter(({ disabledAt }) => disabledAt === null)
  return clients.find((it) => it.id === id) ?? working.findLast(({ mode }) => mode === 'live') ?? working.at(-1)
}

function languageOf(text: string): SnippetLanguage {
  return LANGUAGES.find((it) => it === text) ?? 'curl'
}
