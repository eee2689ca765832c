// Runs in browsers, in the pages of the documentation: shows what is found while one types, and copies listings. All of it works
// without: the search is a page of its own.
// The reference stood at /docs once.
if (location.pathname.replace(/\/$/, '') === '/docs' && /^#(sms-and-otp-api|management-api)\b/.test(location.hash))
  location.replace(`/docs/reference${location.hash}`)

const field = document.getElementById('q')
const box = document.getElementById('found')
let asked = 0
let waiting = 0

field.addEventListener('input', () => {
  clearTimeout(waiting)
  waiting = setTimeout(look, 120)
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

async function look() {
  const query = field.value.trim()
  asked += 1
  const mine = asked
  if (query === '') return hide()
  const answer = await fetch(`/docs/search.json?q=${encodeURIComponent(query)}`).catch(() => null)
  if (!answer?.ok || mine !== asked) return
  const { items } = await answer.json()
  if (mine === asked) show(items.slice(0, 8))
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
  asked += 1
  box.hidden = true
}

/** Over plain HTTP, but for this machine, browsers have no clipboard at all. */
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
