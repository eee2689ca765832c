// Browser script of the documentation: search suggestions and copy buttons. The pages work without it.

// Earlier versions had the reference at /docs.
if (location.pathname.replace(/\/$/, '') === '/docs' && /^#(sms-and-otp-api|management-api)\b/.test(location.hash))
  location.replace(`/docs/reference${location.hash}`)

const field = document.getElementById('q')
const box = document.getElementById('found')
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
}

function paragraph(text) {
  const line = document.createElement('p')
  line.textContent = text
  return line
}

function result({ url, title, within, excerpt }) {
  const link = document.createElement('a')
  link.href = url
  const parts = [
    ['strong', title],
    ['small', within],
    ['span', excerpt],
  ]
  for (const [tag, text] of parts) {
    const part = document.createElement(tag)
    part.textContent = text
    link.append(part)
  }
  return link
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

for (const listing of document.querySelectorAll('pre')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    button.textContent = (await isCopied(listing.textContent)) ? 'Copied' : "Couldn't copy"
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  const around = document.createElement('div')
  around.className = 'listing'
  listing.replaceWith(around)
  around.append(listing, button)
}
