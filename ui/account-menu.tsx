// The menu of the signed-in person: account, shortcuts, language, theme, time zone, and sign-out.
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { queries } from './api/queries.ts'
import { useAction } from './api/use.ts'
import { inBackground } from './background.ts'
import { useCaller } from './caller.ts'
import { chooseLanguage, chooseTheme, chooseTimes, chosenTheme, chosenTimes, THEMES, TIMES } from './choices.ts'
import css from './menu.module.css'
import { Avatar } from './parts/avatar.tsx'
import { capitalize } from './parts/format.ts'
import { Icon } from './parts/icon.tsx'
import { Segmented } from './parts/segmented.tsx'
import { useStore } from './parts/store.ts'
import { LANGUAGES, words } from './words/index.ts'

const MENU = 'account-menu'

export function AccountMenu({ showKeys }: { showKeys: () => void }) {
  const { person, kind } = useCaller()
  const [theme, setTheme] = useState(chosenTheme)
  const times = useStore(chosenTimes)
  const close = () => document.getElementById(MENU)?.hidePopover?.()
  const name = person?.name ?? words.shell.token
  return (
    <>
      <button type="button" class={css.me} popovertarget={MENU}>
        <Avatar name={name} isRound />
        <span class={css.two}>
          <span class="foreign">{name}</span>
          <span class="meta">{capitalize(words.roles[kind])}</span>
        </span>
        <Icon name="updown" />
      </button>
      <div id={MENU} popover="auto" class={`${css.menu} ${css.above}`}>
        {person && (
          <>
            <div class={css.who}>
              <span class="foreign">{person.name}</span>
              <span class="meta foreign">{person.email}</span>
            </div>
            <hr />
            <Link class={css.item} href="/account" onClick={close}>
              <Icon name="admin" />
              {words.screens.account}
            </Link>
          </>
        )}
        <button
          type="button"
          class={css.item}
          onClick={() => {
            close()
            showKeys()
          }}
        >
          <Icon name="keyboard" />
          {words.shell.keys}
          <kbd class="push" aria-hidden="true">
            ?
          </kbd>
        </button>
        <hr />
        <Segmented
          label={words.shell.language}
          isLabelShown
          value={document.documentElement.lang}
          of={Object.entries(LANGUAGES)}
          set={(language) => language !== document.documentElement.lang && chooseLanguage(language)}
        />
        <Segmented
          label={words.shell.theme}
          isLabelShown
          value={theme}
          of={THEMES.map((it) => [it, words.shell.themes[it]])}
          set={(chosen) => {
            chooseTheme(chosen)
            setTheme(chosen)
          }}
        />
        <Segmented
          label={words.shell.times}
          isLabelShown
          value={times}
          of={TIMES.map((it) => [it, words.shell.timesOf[it]])}
          set={chooseTimes}
        />
        {person && <SignOut />}
      </div>
    </>
  )
}

function SignOut() {
  const signOut = useAction('signOut')
  const leave = () => signOut.mutate({}, { onSuccess: () => inBackground(queries.resetQueries()) })
  return (
    <>
      <hr />
      <button type="button" class={css.item} onClick={leave} aria-disabled={signOut.isPending}>
        <Icon name="exit" />
        {words.account.signOut}
      </button>
      {signOut.error && <p class="bad">{signOut.error.message}</p>}
    </>
  )
}
