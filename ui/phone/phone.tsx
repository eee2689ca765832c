// The test phone: the list of phones, a phone with its messages and a reply field, and the effect of the last digits.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import type { HandsetMessageList, NewHandsetReply, SimulatorOutcome } from '../api/calls.ts'
import { useCall } from '../api/use.ts'
import { useTimeZone } from '../caller.ts'
import { Copy } from '../parts/copy.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { moment } from '../parts/format.ts'
import { Page } from '../parts/page.tsx'
import { Status, toneOf } from '../parts/status.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { type Bubble, conversationOf, endingIn, phonesOf } from './conversation.ts'
import css from './phone.module.css'

interface PageProps {
  handsets: { data: HandsetMessageList | undefined; error: ApiError | null }
  actions: ComponentChildren
  write: Props['write']
  reply: { isPending: boolean; error: ApiError | null; data: { taken: boolean } | undefined }
}

/** The phones of a workspace or of the whole service. */
export function PhonePage({ handsets: { data, error }, actions, write, reply }: PageProps) {
  const [{ number }, setChosen] = useUrlState({ number: '' })
  const { data: endings } = useCall('listSimulatorOutcomes', {})
  return (
    <Page title={words.screens.phone} hasTimes actions={actions}>
      {error?.status === 404 ? (
        <p>{words.phone.noSimulator}</p>
      ) : (
        <>
          {error && <ErrorNote error={error} />}
          <Phones
            handsets={data}
            endings={endings?.items}
            number={number}
            choose={(it) => setChosen({ number: it })}
            write={write}
            isBusy={reply.isPending}
            error={reply.error}
            isHeld={reply.data?.taken === false}
          />
        </>
      )}
    </Page>
  )
}

interface Props {
  handsets: HandsetMessageList | undefined
  endings: readonly SimulatorOutcome[] | undefined
  /** The open phone; empty for the one with the latest message. */
  number: string
  choose: (number: string) => void
  write: (reply: NewHandsetReply, done: () => void) => void
  isBusy: boolean
  error: ApiError | null
  /** The last reply was not accepted yet. */
  isHeld: boolean
}

function Phones({ handsets, endings, number, choose, ...writing }: Props) {
  const phones = handsets ? phonesOf(handsets) : []
  const chosen = number || (phones[0]?.number ?? endingIn('', '01'))
  const bubbles = handsets ? conversationOf(handsets, chosen) : []
  return (
    <div class={css.desk}>
      <nav class={css.phones} aria-label={words.phone.phones}>
        <h2>{words.phone.phones}</h2>
        <ul>
          {phones.map(({ number: own, last, isReply }) => (
            <li key={own}>
              <button type="button" class={css.choice} aria-pressed={own === chosen} onClick={() => choose(own)}>
                <span class="mono">{own}</span>
                <span class={`quiet foreign ${css.last}`}>{isReply ? words.phone.lastReply(last) : last}</span>
              </button>
            </li>
          ))}
        </ul>
        {handsets && phones.length === 0 && (
          <p class="quiet">
            {words.phone.noneAnywhere} <Copy text={chosen} />
          </p>
        )}
      </nav>
      <Handset number={chosen} bubbles={bubbles} isLoaded={handsets !== undefined} {...writing} />
      <Endings endings={endings} number={chosen} choose={choose} />
    </div>
  )
}

interface HandsetProps extends Pick<Props, 'write' | 'isBusy' | 'error' | 'isHeld'> {
  number: string
  bubbles: readonly Bubble[]
  isLoaded: boolean
}

function Handset({ number, bubbles, isLoaded, write, isBusy, error, isHeld }: HandsetProps) {
  const screen = useRef<HTMLDivElement>(null)
  const timeZone = useTimeZone()
  // The newest message is at the bottom.
  useEffect(() => {
    if (screen.current) screen.current.scrollTop = screen.current.scrollHeight
  }, [bubbles.length, number])
  const lastSender = bubbles.findLast(({ isOwn }) => !isOwn)?.other ?? ''
  return (
    <section class={css.phone} aria-label={number}>
      <header class={css.head}>
        <Copy text={number} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div ref={screen} class={css.screen} tabIndex={0} role="log" aria-label={words.phone.phones}>
        {isLoaded && bubbles.length === 0 && <p class={`quiet ${css.empty}`}>{words.phone.none}</p>}
        {bubbles.map(({ key, isOwn, other, text, at, code }) => (
          <div key={key} class={isOwn ? css.own : css.theirs}>
            <p class={`quiet ${css.by}`}>
              <span class="foreign">{isOwn ? `${words.phone.you} → ${other}` : other}</span>{' '}
              <time dateTime={at} title={at}>
                {moment(at, 'second', timeZone)}
              </time>
            </p>
            <p class={`foreign ${css.text}`}>{text}</p>
            {code && (
              <Copy text={code} label={words.phone.copyCode}>
                {words.phone.copyCode} {code}
              </Copy>
            )}
          </div>
        ))}
      </div>
      <Reply key={`${number} ${lastSender}`} {...{ number, lastSender, write, isBusy, error, isHeld }} />
    </section>
  )
}

function Reply({
  number,
  lastSender,
  write,
  isBusy,
  error,
  isHeld,
}: Omit<HandsetProps, 'bubbles' | 'isLoaded'> & { lastSender: string }) {
  const [to, setTo] = useState(lastSender)
  const [text, setText] = useState('')
  return (
    <form
      class={css.reply}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy && text !== '') write({ from: number, to, text }, () => setText(''))
      }}
    >
      {error && <ErrorNote error={error} />}
      <p role="status" class="quiet">
        {isHeld && words.phone.held}
      </p>
      <label class={css.to}>
        <span class="quiet">{words.phone.to}</span>
        <input value={to} onInput={(event) => setTo(event.currentTarget.value)} autoComplete="off" />
      </label>
      <div class={css.write}>
        <label class={css.words}>
          <span class="hidden">{to ? words.phone.replyTo(to) : words.phone.reply}</span>
          <input
            value={text}
            placeholder={words.phone.reply}
            onInput={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
          />
        </label>
        <button type="submit" class="primary" aria-disabled={isBusy || text === ''}>
          {words.phone.send}
        </button>
      </div>
    </form>
  )
}

/** A button for each test ending: its effect, and a click opens the phone whose number has it. */
function Endings({ endings, number, choose }: Pick<Props, 'endings' | 'number' | 'choose'>) {
  const does: Record<string, string | undefined> = words.phone.does
  return (
    <section class={css.endings}>
      <h2>{words.phone.endings}</h2>
      <ul>
        {endings?.map(({ digits, does: inEnglish, status, isRefunded }) => (
          <li key={digits}>
            <button
              type="button"
              class={css.key}
              aria-pressed={number.endsWith(digits)}
              onClick={() => choose(endingIn(number, digits))}
            >
              <strong class={css.digits}>{digits}</strong>
              <span class={css.does}>
                {does[digits] ?? inEnglish}
                <Status tone={toneOf(status)}>
                  <span class="quiet">
                    {words.status[status]}
                    {isRefunded && `, ${words.phone.refunded}`}
                  </span>
                </Status>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
