// Browser script of the documentation: search suggestions, tabs and copy buttons. The pages work without it.

// Earlier versions had the whole reference on one page, with the tag and the call in the anchor.
const [, oldApi, oldTag, oldCall] =
  /^#(sms-and-otp-api|management-api)\/tag\/([a-z\d-]+)\/(.+)$/.exec(location.hash) ?? []
if (oldApi && /^\/docs(\/reference)?\/?$/.test(location.pathname))
  location.replace(`/docs/reference/${oldApi}/${oldTag}#${oldCall}`)

const field = document.getElementById('q')
const box = document.getElementById('found')
const foundCount = document.getElementById('found-count')
let searches = 0
let timer = 0

field.addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(suggest, 120)
})
field.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') hide()
  if (event.key === 'ArrowDown') move(event, 0)
})
box.addEventListener('keydown', (event) => {
  const at = links().indexOf(document.activeElement)
  if (event.key === 'ArrowDown') move(event, at + 1)
  if (event.key === 'ArrowUp') move(event, at - 1)
  if (event.key === 'Home') move(event, 0)
  if (event.key === 'End') move(event, links().length - 1)
  if (event.key === 'Escape') {
    hide()
    field.focus()
  }
})
document.addEventListener('click', (event) => {
  if (!field.form.contains(event.target)) hide()
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.matches('input, textarea')) return
  event.preventDefault()
  field.focus()
})

/** Only the response to the latest search is shown. */
async function suggest() {
  const query = field.value.trim()
  searches += 1
  const current = searches
  if (query === '') return hide()
  const response = await fetch(`/docs/search.json?q=${encodeURIComponent(query)}`).catch(() => null)
  if (!response?.ok || current !== searches) return
  const { items } = await response.json()
  if (current === searches) show(items.slice(0, 8))
}

function show(items) {
  box.replaceChildren(...(items.length === 0 ? [paragraph('No results.')] : items.map(result)))
  box.hidden = false
  foundCount.textContent = items.length === 1 ? '1 result' : `${items.length} results`
}

function paragraph(text) {
  const line = document.createElement('p')
  line.textContent = text
  return line
}

function result({ url, title, within, excerpt, titleHits, excerptHits }) {
  const link = document.createElement('a')
  link.href = url
  link.append(element('strong', title, titleHits), element('small', within, []), element('span', excerpt, excerptHits))
  return link
}

/** Hits are start and end of the parts to mark. */
function element(tag, text, hits) {
  const made = document.createElement(tag)
  let from = 0
  for (const [start, end] of hits) {
    const mark = document.createElement('mark')
    mark.textContent = text.slice(start, end)
    made.append(text.slice(from, start), mark)
    from = end
  }
  made.append(text.slice(from))
  return made
}

function links() {
  return [...box.querySelectorAll('a')]
}

function move(event, to) {
  if (box.hidden) return
  event.preventDefault()
  const next = links()[to]
  if (next) next.focus()
  else if (to < 0) field.focus()
}

function hide() {
  searches += 1
  box.hidden = true
  foundCount.textContent = ''
}

/** Browsers have no clipboard over plain HTTP, except on localhost. */
async function isCopied(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

const copyStatus = document.createElement('p')
copyStatus.className = 'hidden'
copyStatus.setAttribute('role', 'status')
document.body.append(copyStatus)

for (const listing of document.querySelectorAll('pre')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    const copied = await isCopied(listing.textContent)
    button.textContent = copied ? 'Copied' : "Couldn't copy"
    button.classList.toggle('copied', copied)
    copyStatus.textContent = button.textContent
    setTimeout(() => {
      button.textContent = 'Copy'
      button.classList.remove('copied')
      copyStatus.textContent = ''
    }, 2000)
  })
  const around = document.createElement('div')
  around.className = 'listing'
  listing.replaceWith(around)
  around.append(listing, button)
}

/** One choice of a language holds for all tabs of all pages. */
const CHOICE = 'hulaki-docs-tab'
const groups = [...document.querySelectorAll('.tabs')].map(makeTabs)
const remembered = readChoice()
if (remembered) choose(remembered)
addEventListener('hashchange', openTarget)
openTarget()

function makeTabs(group, number) {
  const list = document.createElement('div')
  list.className = 'tab-list'
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', 'Language')
  const tabs = [...group.querySelectorAll('section[data-tab]')].map((panel, index) => {
    const tab = document.createElement('button')
    tab.type = 'button'
    tab.id = `tab-${number}-${index}`
    tab.textContent = panel.dataset.tab
    tab.setAttribute('role', 'tab')
    panel.id = `panel-${number}-${index}`
    tab.setAttribute('aria-controls', panel.id)
    panel.setAttribute('role', 'tabpanel')
    panel.setAttribute('aria-labelledby', tab.id)
    // The tab has the name of the section.
    panel.querySelector('h2, h3, h4')?.classList.add('hidden')
    tab.addEventListener('click', () => keep(panel.dataset.tab, tab))
    return { tab, panel }
  })
  list.append(...tabs.map(({ tab }) => tab))
  list.addEventListener('keydown', (event) => {
    const at = tabs.findIndex(({ tab }) => tab === document.activeElement)
    const steps = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }
    const next = tabs.at((steps[event.key] ?? Number.NaN) % tabs.length)
    if (!(event.key in steps) || !next) return
    event.preventDefault()
    keep(next.panel.dataset.tab, next.tab)
    next.tab.focus()
  })
  group.prepend(list)
  showTab(tabs, tabs[0]?.panel.dataset.tab)
  return tabs
}

function showTab(tabs, name) {
  if (!tabs.some(({ panel }) => panel.dataset.tab === name)) return
  for (const { tab, panel } of tabs) {
    const isChosen = panel.dataset.tab === name
    panel.hidden = !isChosen
    tab.setAttribute('aria-selected', String(isChosen))
    tab.tabIndex = isChosen ? 0 : -1
  }
}

function choose(name) {
  for (const tabs of groups) showTab(tabs, name)
}

/** The chosen tab stays at its place on the screen while tabs above it change their height. */
function keep(name, tab) {
  const { top } = tab.getBoundingClientRect()
  choose(name)
  scrollBy(0, tab.getBoundingClientRect().top - top)
  try {
    localStorage.setItem(CHOICE, name)
  } catch {
    // The browser stores nothing: the choice holds for this page.
  }
}

function readChoice() {
  try {
    return localStorage.getItem(CHOICE)
  } catch {
    return null
  }
}

/** A link to a section in a hidden tab opens this tab. */
function openTarget() {
  // The pseudo-class `:target` is set later than this script runs.
  const target = document.getElementById(readHash())
  const panel = target?.closest('section[data-tab]')
  if (!panel?.hidden) return
  choose(panel.dataset.tab)
  panel.scrollIntoView()
}

function readHash() {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return ''
  }
}
