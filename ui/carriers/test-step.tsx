// The third step of a new carrier: a test over its real connections. The first test starts by itself when the carrier has connected.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Carrier, CarrierTest } from '../api/calls.ts'
import { useCall } from '../api/use.ts'
import { Banner } from '../parts/banner.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Pill, type Tone } from '../parts/status.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import { isPassed } from './test-steps.ts'
import { StepLine, TestForm, TestSteps, useCarrierTest } from './tests.tsx'
import css from './wizard.module.css'

const TOPICS = ['carriers', 'settings'] as const
const GAP_MS = 500
/** A carrier that has neither connected nor failed by then is tested as it is. */
const PATIENCE_MS = 8_000

interface Props {
  carrierId: string
  /** The address of the step after this one. */
  next: string
}

export function TestStep({ carrierId, next }: Props) {
  const input = { params: { id: carrierId } }
  const { data: carrier, error } = useCall('getCarrier', input, { topics: TOPICS, gapMs: GAP_MS })
  const tests = useCall('listCarrierTests', input, { topics: TOPICS, gapMs: GAP_MS })
  const failure = error ?? tests.error
  if (!carrier || !tests.data) return failure ? <ErrorNote error={failure} /> : <Waiting />
  return <TestCard carrier={carrier} latest={tests.data.items[0]} next={next} />
}

type ResultName = keyof typeof words.newCarrier.results
const TONES: Record<ResultName, Tone> = {
  passed: 'good',
  failed: 'bad',
  running: 'info',
  connecting: 'info',
  none: 'idle',
}

interface CardProps {
  carrier: Carrier
  latest: CarrierTest | undefined
  next: string
}

function TestCard({ carrier: { id, name, enabled, state }, latest, next }: CardProps) {
  const test = useCarrierTest()
  const isSettled = useIsLate() || state.some((bind) => bind.state === 'bound' || bind.state === 'waiting')
  const isStarted = useRef(false)
  const isDue = enabled && !latest && isSettled && !test.error
  useEffect(() => {
    if (!isDue || isStarted.current) return
    isStarted.current = true
    test.mutate({ params: { id }, body: {} })
  }, [isDue, id])
  const result: ResultName = test.isPending
    ? 'running'
    : latest
      ? isPassed(latest)
        ? 'passed'
        : 'failed'
      : enabled && !test.error
        ? 'connecting'
        : 'none'
  const isDone = result === 'passed'
  return (
    <section class={`card stack ${css.sheet}`}>
      <div class={css.sheetHead} role="status">
        <h2 class="foreign">{words.newCarrier.testOf(name)}</h2>
        <Pill tone={TONES[result]} word={words.newCarrier.results[result]} />
      </div>
      {!enabled && <Banner tone="warn">{words.newCarrier.disabledMeans}</Banner>}
      <TestForm
        carrierId={id}
        test={test}
        label={latest ? words.newCarrier.testAgain : words.carriers.test}
        isDisabled={!enabled}
      />
      <div class={css.results}>
        {latest ? (
          <TestSteps test={latest} />
        ) : (
          <ol>{enabled && <StepLine tone="idle" name={words.newCarrier.results[result]} />}</ol>
        )}
      </div>
      <div class={css.sheetFoot}>
        <Link href={next} class={isDone ? 'button primary' : 'button'}>
          {isDone ? words.newCarrier.toRoute : words.newCarrier.skip}
        </Link>
      </div>
    </section>
  )
}

function useIsLate(): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return isLate
}
