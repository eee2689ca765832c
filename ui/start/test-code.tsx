// Sends and verifies an OTP, through the same path as a program.
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Client, Start } from '../api/calls.ts'
import { useAction, useCall } from '../api/use.ts'
import { useCan, useWorkspace } from '../caller.ts'
import { Curl } from '../parts/curl.tsx'
import { Form, SelectField, TextField } from '../parts/field.tsx'
import { moment } from '../parts/format.ts'
import { Handset } from '../parts/handset.tsx'
import { Status } from '../parts/status.tsx'
import { words } from '../words/index.ts'
import css from './screen.module.css'

interface Props {
  clients: readonly Client[]
  client: Client
  to: string
  simulator: Start['simulator']
  chooseClient: (id: string) => void
  chooseNumber: (to: string) => void
}

export function TestCode({ clients, client, to, simulator, chooseClient, chooseNumber }: Props) {
  return (
    <section class="card stack" aria-labelledby="try">
      <h2 id="try">{words.start.sendOtp}</h2>
      <p class="quiet">{words.start.sendOtpHint}</p>
      <div class={css.try}>
        <Send
          clients={clients}
          client={client}
          to={to}
          chooseClient={chooseClient}
          chooseNumber={chooseNumber}
          isSimulated={simulator.serves !== 'none'}
        />
        {simulator.runs && <OnPhone to={to} />}
        <Verify client={client} to={to} />
      </div>
    </section>
  )
}

type SendProps = Omit<Props, 'simulator'> & { isSimulated: boolean }

function Send({ clients, client, to, chooseClient, chooseNumber, isSimulated }: SendProps) {
  const act = useAction('sendTestOtp', ['getStart', 'listWorkspaceHandsetMessages'])
  const input = { params: { id: client.id }, body: { to } }
  return (
    <Form
      submitLabel={words.start.send}
      submit={() => act.mutate(input)}
      mutation={act}
      fields={['to']}
      beside={<Curl of="sendTestOtp" input={input} />}
    >
      <SelectField
        label={words.common.client}
        hint={client.mode === 'test' && words.start.testModeHint}
        value={client.id}
        set={chooseClient}
        of={clients.map(
          ({ id, name, mode }) => [id, mode === 'test' ? `${name} · ${words.clients.test}` : name] as const,
        )}
      />
      <TextField
        label={words.start.number}
        hint={isSimulated && words.start.numberHint}
        value={to}
        set={chooseNumber}
        error={act.error?.of('to')}
        type="tel"
        autoComplete="off"
      />
      <div role="status" class={css.result}>
        {act.isSuccess ? words.start.sent : ''}
      </div>
    </Form>
  )
}

const EVERY_MS = 2_000

/** The last message on the test phone of that number. */
function OnPhone({ to }: { to: string }) {
  const { id, timeZone } = useWorkspace()
  const can = useCan()
  const when = can('listWorkspaceHandsetMessages')
  const query = { number: to.replace(/^\+/, '') }
  const { data } = useCall('listWorkspaceHandsetMessages', { params: { id }, query }, { when, everyMs: EVERY_MS })
  const latest = data?.items[0]
  if (!when) return null
  return (
    <div class="stack">
      <Handset
        caption={words.start.onPhone}
        sender={latest?.from ?? ''}
        text={latest?.text ?? ''}
        note={latest ? moment(latest.receivedAt, 'second', timeZone) : words.start.nothingYet}
      />
      <Link href={latest ? `/phone?number=${encodeURIComponent(latest.to)}` : '/phone'}>{words.start.openPhone}</Link>
    </div>
  )
}

function Verify({ client, to }: { client: Client; to: string }) {
  const [code, setCode] = useState('')
  const act = useAction('verifyTestOtp', ['getStart'])
  const input = { params: { id: client.id }, body: { to, code: code.trim() } }
  const { data } = act
  return (
    <Form
      submitLabel={words.start.verify}
      submit={() => act.mutate(input)}
      mutation={act}
      fields={['code']}
      beside={<Curl of="verifyTestOtp" input={input} />}
    >
      <TextField
        label={words.start.code}
        value={code}
        set={setCode}
        error={act.error?.of('code')}
        inputMode="numeric"
        autoComplete="one-time-code"
      />
      <div role="status" class={css.result}>
        {data?.verified && (
          <strong>
            <Status tone="good">{words.start.verified}</Status>
          </strong>
        )}
        {data?.reason && <Status tone="bad">{words.start.reasons[data.reason]}</Status>}
      </div>
    </Form>
  )
}
