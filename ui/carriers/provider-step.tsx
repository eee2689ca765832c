// The first step of a new carrier: a card for each provider.
import { useRef } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Icon, type IconName } from '../parts/icon.tsx'
import { SectionHead } from '../parts/page.tsx'
import { Search } from '../parts/search.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { CUSTOM, findProviders, type Provider, SMPP } from './providers.ts'
import css from './wizard.module.css'

export function ProviderStep({ providers }: { providers: readonly Provider[] }) {
  const [{ find }, set] = useUrlState({ find: '' })
  const list = useRef<HTMLUListElement>(null)
  const found = findProviders(providers, find)
  const onKeyDown = (event: KeyboardEvent) => {
    const isTyping = event.target instanceof HTMLInputElement
    const step = stepOf(event.key, isTyping)
    const links = [...(list.current?.querySelectorAll('a') ?? [])]
    if (step === 0 || links.length === 0) return
    event.preventDefault()
    const at = links.indexOf(document.activeElement as HTMLAnchorElement)
    links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys are a shortcut; Tab reaches every card
    <div class="stack" onKeyDown={onKeyDown}>
      <SectionHead title={words.newCarrier.choose}>
        <Search label={words.newCarrier.find} value={find} set={(text) => set({ find: text }, { replace: true })} />
      </SectionHead>
      <ul ref={list} class={css.providers}>
        {found.map((provider) => (
          <li key={provider.id}>
            <Card provider={provider} />
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <div class={`card stack ${css.noneFound}`}>
          <p>{words.newCarrier.noneFound}</p>
          <p>
            <button type="button" onClick={() => set({ find: '' }, { replace: true })}>
              {words.newCarrier.clear}
            </button>
          </p>
        </div>
      )}
      {found.some(({ isBeta }) => isBeta) && <p class="meta">{words.newCarrier.betaMeans}</p>}
    </div>
  )
}

/** In a search field, left and right move the cursor. */
function stepOf(key: string, isTyping: boolean): -1 | 0 | 1 {
  if (key === 'ArrowDown' || (key === 'ArrowRight' && !isTyping)) return 1
  return !isTyping && (key === 'ArrowUp' || key === 'ArrowLeft') ? -1 : 0
}

const ICONS: Record<string, IconName> = { [SMPP]: 'carrier', [CUSTOM]: 'code' }

function Card({ provider: { id, title, about, tags, isBeta } }: { provider: Provider }) {
  const icon = ICONS[id]
  return (
    <Link href={`/carriers/new?step=connection&provider=${id}`} class={css.provider}>
      <span class={css.glyph} aria-hidden="true">
        {icon ? <Icon name={icon} /> : title.slice(0, 2)}
      </span>
      <span class={css.who}>
        <strong>{title}</strong>
        <span class="meta">{about}</span>
        <span class={css.tags}>
          {tags.map((tag) => (
            <span key={tag} class="tag">
              {tag}
            </span>
          ))}
          {isBeta && <BetaTag />}
        </span>
      </span>
    </Link>
  )
}

export function BetaTag() {
  return <span class={`tag ${css.beta}`}>{words.newCarrier.beta}</span>
}
