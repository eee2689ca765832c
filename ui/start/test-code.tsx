// Sends and verifies an OTP, through the same path as a program.
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Client, Start } from '../api/calls.ts'
import { useAction, useCall } from '../api/use.ts'
import { useCan, useTimeZone, useWorkspace } from '../caller.ts'
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
  const send = useAction('sendTestOtp', ['getStart', 'listWorkspaceHandsetMessages'])
  return (
    <section class={`card ${css.try}`} aria-labelledby="try">
      <div class={css.form}>
        <h2 id="try">{words.start.sendTestCode}</h2>
        <p class="quiet">
          {words.start.sendOtpHint} {simulator.serves === 'all' && words.start.simulatorHint}
        </p>
        <Send
          clients={clients}
          client={client}
          to={to}
          chooseClient={chooseClient}
          chooseNumber={chooseNumber}
          isSimulated={simulator.serves !== 'none'}
          act={send}
        />
        <hr />
        <div class={css.verify}>
          <Verify client={client} to={to} isNext={send.isSuccess} />
        </div>
      </div>
      {simulator.runs && <OnPhone to={to} />}
    </section>
  )
}

type SendProps = Omit<Props, 'simulator'> & { isSimulated: boolean; act: ReturnType<typeof useAction<'sendTestOtp'>> }

function Send({ clients, client, to, chooseClient, chooseNumber, isSimulated, act }: SendProps) {
  const input = { params: { id: client.id }, body: { to } }
  return (
    <Form
      submitLabel={act.isSuccess ? words.start.sendAgain : words.start.send}
      submit={() => act.mutate(input)}
      mutation={act}
      isSecondary={act.isSuccess}
      fields={['to']}
      beside={<div role="status">{act.isSuccess && <Status tone="good">{words.start.sent}</Status>}</div>}
    >
      <div class={css.pair}>
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
      </div>
    </Form>
  )
}

/** The last message on the test phone of that number. */
function OnPhone({ to }: { to: string }) {
  const { id } = useWorkspace()
  const timeZone = useTimeZone()
  const can = useCan()
  const when = can('listWorkspaceHandsetMessages')
  const query = { number: to.replace(/^\+/, '') }
  const { data } = useCall('listWorkspaceHandsetMessages', { params: { id }, query }, { when, topics: ['messages'] })
  const latest = data?.items[0]
  if (!when) return null
  return (
    <div class={css.phone}>
      <Handset
        caption={words.start.onPhone}
        sender={latest?.from ?? ''}
        text={latest?.text ?? ''}
        time={latest && moment(latest.receivedAt, 'time', timeZone)}
        note={latest ? moment(latest.receivedAt, 'row', timeZone) : words.start.nothingYet}
      />
      <Link href={latest ? `/phone?number=${encodeURIComponent(latest.to)}` : '/phone'}>{words.start.openPhone}</Link>
    </div>
  )
}

function Verify({ client, to, isNext }: { client: Client; to: string; isNext: boolean }) {
  const [code, setCode] = useState('')
  const act = useAction('verifyTestOtp', ['getStart'])
  const input = { params: { id: client.id }, body: { to, code: code.trim() } }
  const { data } = act
  return (
    <Form
      submitLabel={words.start.verify}
      submit={() => act.mutate(input)}
      mutation={act}
      isSecondary={!isNext}
      fields={['code']}
      beside={
        <div role="status">
          {data?.verified && <Status tone="good">{words.start.verified}</Status>}
          {data?.reason && <Status tone="bad">{words.start.reasons[data.reason]}</Status>}
        </div>
      }
    >
      <div class={css.code}>
        <TextField
          label={words.start.code}
          value={code}
          set={setCode}
          error={act.error?.of('code')}
          inputMode="numeric"
          autoComplete="one-time-code"
        />
      </div>
    </Form>
  )
}
