// Tests a carrier over its real connections, and with a number also with a message.
import { useState } from 'preact/hooks'
import type { CarrierTest } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { Form, TextField } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Status } from '../parts/status.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'

const MAX_SHOWN = 5

export function Tests({ carrierId: id, tests }: { carrierId: string; tests: readonly CarrierTest[] }) {
  const [to, setTo] = useState('')
  const test = useAction('testCarrier', ['listCarrierTests'])
  return (
    <section class={`card stack ${css.tests}`}>
      <h2>{words.carriers.test}</h2>
      <p class="quiet">{words.carriers.testMeans}</p>
      <Form
        submitLabel={words.carriers.test}
        submit={() => test.mutate({ params: { id }, body: to.trim() === '' ? {} : { to: to.replaceAll(/\s/g, '') } })}
        mutation={test}
        fields={['to']}
      >
        <TextField
          label={words.carriers.testTo}
          hint={words.carriers.testToHint}
          value={to}
          set={setTo}
          error={test.error?.of('to')}
          inputMode="tel"
          autoComplete="off"
        />
      </Form>
      <ul class={`stack ${css.results}`} aria-live="polite">
        {tests.slice(0, MAX_SHOWN).map((it) => (
          <Result key={it.id} test={it} />
        ))}
        {tests.length === 0 && <li class="quiet">{words.carriers.noTests}</li>}
      </ul>
    </section>
  )
}

/** The steps of a test in their order: the connection, enquire_link, the message, its receipt. */
function Result({ test: { startedAt, binds, message } }: { test: CarrierTest }) {
  return (
    <li class={css.result}>
      <Moment at={startedAt} />
      <ol>
        {binds.map((bind) => (
          <BindSteps key={bind.number} bind={bind} />
        ))}
        {message && <MessageSteps message={message} />}
      </ol>
    </li>
  )
}

function BindSteps({ bind }: { bind: CarrierTest['binds'][number] }) {
  const { number, mode, state, boundAt, milliseconds, fault } = bind
  const name = `${count(number)} ${mode}: `
  return (
    <>
      <li>
        <Status tone={boundAt ? 'good' : 'bad'}>
          <span>
            {name}
            {boundAt ? words.carriers.boundSince : words.carriers.states[state]} {boundAt && <Moment at={boundAt} />}
          </span>
        </Status>
      </li>
      <li>
        <Status tone={milliseconds === null ? 'bad' : 'good'}>
          <span class="foreign">
            {name}
            {milliseconds === null
              ? (fault ?? words.carriers.noAnswer)
              : words.carriers.answered(count(Math.round(milliseconds)))}
          </span>
        </Status>
      </li>
    </>
  )
}

function MessageSteps({ message }: { message: NonNullable<CarrierTest['message']> }) {
  const { to, outcome, commandStatus, carrierMessageId, milliseconds, report } = message
  const details = [
    milliseconds !== null && `${count(Math.round(milliseconds))} ms`,
    commandStatus !== null && commandStatus !== 0 && words.carriers.statusCode(String(commandStatus)),
    carrierMessageId,
  ]
  return (
    <>
      <li>
        <Status tone={outcome === 'accepted' ? 'good' : outcome === 'open' ? 'neutral' : 'bad'}>
          <span>
            <span class="mono">{to}</span> {words.carriers.outcomes[outcome]}{' '}
            <span class="quiet foreign">{details.filter(Boolean).join(' · ')}</span>
          </span>
        </Status>
      </li>
      {outcome === 'accepted' && (
        <li>
          <Status tone={report ? 'good' : 'neutral'}>
            <span class="foreign" title={report?.raw}>
              {report ? words.carriers.report(`${report.state} ${report.code}`.trim()) : words.carriers.noReport}
            </span>
          </Status>
        </li>
      )}
    </>
  )
}
