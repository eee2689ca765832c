// Tests a carrier over its real connections, and with a number also with a message.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { CarrierTest } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { words } from '../words/index.ts'
import css from './carriers.module.css'
import { stepsOf } from './test-steps.ts'

const MAX_SHOWN = 5

export function useCarrierTest() {
  return useAction('testCarrier', ['listCarrierTests'])
}

/** The tests of the page of a carrier, the latest first. */
export function Tests({ carrierId, tests }: { carrierId: string; tests: readonly CarrierTest[] }) {
  const test = useCarrierTest()
  return (
    <section class={`card stack ${css.tests}`}>
      <h2>{words.carriers.test}</h2>
      <p class="quiet">{words.carriers.testMeans}</p>
      <TestForm carrierId={carrierId} test={test} label={words.carriers.test} isPrimary />
      <ul class={`stack ${css.results}`} aria-live="polite">
        {tests.slice(0, MAX_SHOWN).map((it) => (
          <li key={it.id} class={css.result}>
            <Moment at={it.startedAt} />
            <TestSteps test={it} />
          </li>
        ))}
        {tests.length === 0 && <li class="quiet">{words.carriers.noTests}</li>}
      </ul>
    </section>
  )
}

interface FormProps {
  carrierId: string
  test: ReturnType<typeof useCarrierTest>
  label: string
  isPrimary?: boolean
  isDisabled?: boolean
}

/** The button is beside the field: a test with a number and one without are the same action. */
export function TestForm({ carrierId: id, test, label, isPrimary = false, isDisabled = false }: FormProps) {
  const [to, setTo] = useState('')
  const isBlocked = test.isPending || isDisabled
  const numberError = test.error?.of('to')
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isBlocked) test.mutate({ params: { id }, body: to.trim() === '' ? {} : { to: to.replaceAll(/\s/g, '') } })
  }
  return (
    <form class="stack" noValidate onSubmit={submit}>
      <div class={css.testForm}>
        <TextField
          label={words.carriers.testTo}
          hint={words.carriers.testToHint}
          value={to}
          set={setTo}
          error={numberError}
          inputMode="tel"
          autoComplete="off"
        />
        <button type="submit" class={isPrimary ? 'primary' : undefined} aria-disabled={isBlocked}>
          {!isPrimary && <Icon name="retry" />}
          {label}
        </button>
      </div>
      {test.error && !numberError && <ErrorNote error={test.error} />}
    </form>
  )
}

const ICONS = { good: 'check', bad: 'close', idle: 'clock' } as const

export function TestSteps({ test }: { test: CarrierTest }) {
  return (
    <ol class={css.testSteps}>
      {stepsOf(test).map(({ name, tone, detail, advice }, index) => (
        <StepLine key={index} tone={tone} name={name}>
          <span class="meta foreign">{detail}</span>
          {advice && <span class={css.advice}>{advice}</span>}
        </StepLine>
      ))}
    </ol>
  )
}

interface LineProps {
  tone: keyof typeof ICONS
  name: string
  children?: ComponentChildren
}

export function StepLine({ tone, name, children }: LineProps) {
  return (
    <li>
      <span class={`${css.node} ${css[tone]}`} aria-hidden="true">
        <Icon name={ICONS[tone]} />
      </span>
      <span class={css.stepText}>
        <span>{name}</span> {children}
      </span>
    </li>
  )
}
