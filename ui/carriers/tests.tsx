// 'Test this carrier': asked over its real binds; a message may go with it, and its receipt is waited for.
import { useState } from 'preact/hooks'
import type { CarrierTest } from '../api/calls.ts'
import { useAct } from '../api/use.ts'
import { Form, TextField } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Status } from '../parts/status.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'

const MOST_SHOWN = 5

export function Tests({ carrierId: id, tests }: { carrierId: string; tests: readonly CarrierTest[] }) {
  const [to, setTo] = useState('')
  const test = useAct('testCarrier', ['listCarrierTests'])
  return (
    <section class={`card stack ${css.tests}`}>
      <h2>{words.carriers.test}</h2>
      <p class="quiet">{words.carriers.testMeans}</p>
      <Form
        act={words.carriers.test}
        submit={() => test.mutate({ params: { id }, body: to.trim() === '' ? {} : { to: to.replaceAll(/\s/g, '') } })}
        isBusy={test.isPending}
        fault={test.error}
        fields={['to']}
      >
        <TextField
          label={words.carriers.testTo}
          hint={words.carriers.testToHint}
          value={to}
          set={setTo}
          wrong={test.error?.of('to')}
          inputMode="tel"
          autoComplete="off"
        />
      </Form>
      <ul class={`stack ${css.results}`} aria-live="polite">
        {tests.slice(0, MOST_SHOWN).map((it) => (
          <Result key={it.id} test={it} />
        ))}
        {tests.length === 0 && <li class="quiet">{words.carriers.noTests}</li>}
      </ul>
    </section>
  )
}

function Result({ test: { askedAt, binds, message } }: { test: CarrierTest }) {
  return (
    <li class={css.result}>
      <Moment at={askedAt} />
      <ul>
        {binds.map(({ number, mode, milliseconds, fault }) => (
          <li key={number}>
            <Status tone={milliseconds === null ? 'bad' : 'good'}>
              {`${number} ${mode}: `}
              {milliseconds === null ? (
                <span class="foreign">{fault ?? words.carriers.noAnswer}</span>
              ) : (
                words.carriers.answered(count(Math.round(milliseconds)))
              )}
            </Status>
          </li>
        ))}
        {message && (
          <li>
            <Status tone={message.outcome === 'taken' ? 'good' : message.outcome === 'open' ? 'going' : 'bad'}>
              <span class="mono">{message.to}</span> {words.carriers.outcomes[message.outcome]}
              {', '}
              <span class="foreign">
                {message.report ? words.carriers.report(message.report.state) : words.carriers.noReport}
              </span>
            </Status>
          </li>
        )}
      </ul>
    </li>
  )
}
