// Get started: four steps with example code, ticked automatically, and a test code that is sent and verified on the page.
import { useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Client, Start } from '../api/calls.ts'
import { useCall } from '../api/use.ts'
import { useCan, useWorkspace } from '../caller.ts'
import { useClients } from '../parts/clients.ts'
import { Copy } from '../parts/copy.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Page } from '../parts/page.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import css from './screen.module.css'
import { LANGUAGES, type SnippetLanguage, snippetsIn } from './snippets.ts'
import { Step } from './step.tsx'
import { TestCode } from './test-code.tsx'

const EVERY_MS = 2_000
const ANY_NUMBER = '+9779800000001'

export function Screen() {
  const { id } = useWorkspace()
  const can = useCan()
  const [chosen, choose] = useUrlState({ client: '', to: ANY_NUMBER, in: 'curl' })
  const input = { params: { id } }
  const [isUnderWay, setUnderWay] = useState(true)
  // The steps are polled until all are done.
  const { data: start, error } = useCall('getStart', input, isUnderWay ? { everyMs: EVERY_MS } : {})
  const isAllDone = start?.steps.every(({ doneAt }) => doneAt !== null) ?? false
  useEffect(() => setUnderWay(!isAllDone), [isAllDone])
  const { clients, isKnown } = useClients()
  const client = chosenOf(clients, chosen.client)
  return (
    <Page title={words.screens.start}>
      {error && !start && <ErrorNote error={error} />}
      {start && isKnown && (
        <>
          <p class="quiet">{isAllDone ? words.start.allDone : words.start.intro}</p>
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
          <Steps start={start} client={client} to={chosen.to} language={languageOf(chosen.in)} />
        </>
      )}
    </Page>
  )
}

interface StepsProps {
  start: Start
  client: Client | undefined
  to: string
  language: SnippetLanguage
}

function Steps({ start, client, to, language }: StepsProps) {
  const [{ client: chosen }] = useUrlState({ client: '' })
  const { templatesRequired } = useWorkspace()
  const can = useCan()
  const root = `${location.origin}/api/sms/v1`
  const snippets = client && snippetsIn(language, { root, keyPrefix: client.keyPrefix, to })
  const hrefOf = (it: SnippetLanguage) => `/start?in=${it}${chosen && `&client=${chosen}`}`
  return (
    <>
      <Tabs
        label={words.start.language}
        of={LANGUAGES.map((it) => [hrefOf(it), words.start.languages[it], it === language] as const)}
      />
      <ol class={css.steps}>
        {start.steps.map(({ step, doneAt }) => (
          <Step key={step} name={words.start.steps[step]} doneAt={doneAt}>
            {step === 'webhook' ? (
              <p>
                {words.start.webhookNote} <Link href="/webhooks?show=endpoints">{words.start.setUpWebhooks}</Link>
              </p>
            ) : (
              snippets && <Snippet of={snippets[step]} />
            )}
            {step === 'key' && client && <p class="quiet">{words.start.keyNote(client.keyPrefix)}</p>}
            {step === 'key' && !client && (
              <p>
                {words.start.noClient}{' '}
                {can('createClient') && <Link href="/clients?make=client">{words.start.createClient}</Link>}
              </p>
            )}
            {step === 'message' && templatesRequired && (
              <p class="quiet">
                {words.start.templateNote} <Link href="/templates">{words.start.viewTemplates}</Link>
              </p>
            )}
          </Step>
        ))}
      </ol>
    </>
  )
}

/** A click copies it. */
function Snippet({ of }: { of: string }) {
  return (
    <pre>
      <Copy text={of} />
    </pre>
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
