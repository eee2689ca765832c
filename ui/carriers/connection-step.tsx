// The second step of a new carrier: its form, and what is known of the integration beside it.
import type { ComponentChildren } from 'preact'
import { Facts } from '../parts/facts.tsx'
import { SectionHead } from '../parts/page.tsx'
import { foreign } from '../parts/text.tsx'
import { words } from '../words/index.ts'
import { SmppForm } from './carrier-form.tsx'
import { DescribedForm } from './described-form.tsx'
import { Fold } from './fold.tsx'
import { PresetForm } from './preset-form.tsx'
import { BetaTag } from './provider-step.tsx'
import { coverageOf, type Provider, SMPP } from './providers.ts'
import css from './wizard.module.css'

interface Props {
  provider: Provider
  created: (id: string) => void
  /** The address of the step before. */
  back: string
}

export function ConnectionStep({ provider, created, back }: Props) {
  const { id, title, preset, isBeta } = provider
  const form = { created, back }
  return (
    <div class={css.columns}>
      <section class={`card stack ${css.sheet}`}>
        <div class={css.sheetHead}>
          <h2>{words.newCarrier.connect(title)}</h2>
          {isBeta && <BetaTag />}
          <span class="meta push">{words.newCarrier.encrypted}</span>
        </div>
        {preset ? (
          <PresetForm preset={preset} {...form} />
        ) : id === SMPP ? (
          <SmppForm {...form} />
        ) : (
          <DescribedForm {...form} />
        )}
      </section>
      <aside class="card stack" aria-label={words.newCarrier.about}>
        <SectionHead title={words.newCarrier.about} />
        <About provider={provider} />
      </aside>
    </div>
  )
}

function About({ provider: { id, preset } }: { provider: Provider }) {
  if (!preset) {
    const isSmpp = id === SMPP
    return (
      <>
        <p class="quiet">{isSmpp ? words.newCarrier.smppAbout : words.newCarrier.descriptionHint}</p>
        <Manual at={isSmpp ? '/docs/reference/carriers' : '/docs/reference/http-carriers'} />
      </>
    )
  }
  const { receipts, notes, source, isVerified } = preset
  const facts: [string, ComponentChildren][] = [
    [words.newCarrier.kind, 'HTTP'],
    [words.newCarrier.countries, coverageOf(preset)],
    [words.newCarrier.receipts, receipts.map((mode) => words.newCarrier.receiptTags[mode]).join(', ')],
  ]
  return (
    <>
      {!isVerified && <p class="quiet">{words.newCarrier.neverTried}</p>}
      <Facts of={facts} />
      <Fold title={words.newCarrier.notes}>
        <ul class={css.notes}>
          {notes.map((note) => (
            <li key={note} class="foreign">
              {note}
            </li>
          ))}
        </ul>
      </Fold>
      <Fold title={words.newCarrier.sources}>
        <p class="quiet">{foreign(source)}</p>
      </Fold>
    </>
  )
}

function Manual({ at }: { at: string }) {
  return (
    <p>
      <a href={at}>{words.settings.manual}</a>
    </p>
  )
}
