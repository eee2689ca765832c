// Runs in the page before its scripts: records layout shifts and CSP violations.
const watched = { shifts: [], violations: [] }
globalThis.watched = watched

addEventListener('securitypolicyviolation', (event) => {
  watched.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`)
})

// An input may change the layout. Chromium excuses the shifts within 500 ms of a key or a click, but not of text or an option that a script
// enters, not of a response that takes longer, and not of a late paint on a loaded machine.
const INPUTS = ['pointerdown', 'click', 'keydown', 'input', 'change']
const RECENT_MS = 2_000
const excused = []
const excuse = (from) => excused[excused.push({ from, until: from + RECENT_MS }) - 1]
const isExcused = (at) => excused.some(({ from, until }) => from <= at && at <= until)
for (const input of INPUTS) addEventListener(input, () => excuse(performance.now()), { capture: true })

const { fetch } = globalThis
globalThis.fetch = async (...request) => {
  if (!isExcused(performance.now())) return fetch(...request)
  const span = excuse(performance.now())
  span.until = Number.POSITIVE_INFINITY
  try {
    return await fetch(...request)
  } finally {
    span.until = performance.now() + RECENT_MS
  }
}

new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, startTime, sources } of list.getEntries()) {
    if (hadRecentInput || isExcused(startTime)) continue
    // A source may be a text node, or already removed.
    const what = sources
      .map(({ node, previousRect, currentRect }) => {
        const element = node instanceof Element ? node : node?.parentElement
        return `${placeOf(previousRect)} → ${placeOf(currentRect)} ${element?.outerHTML.slice(0, 80) ?? 'gone'}`
      })
      .join('; ')
    watched.shifts.push({ value, what })
  }
}).observe({ type: 'layout-shift', buffered: true })

function placeOf({ x, y, width, height }) {
  return `${x},${y} ${width}×${height}`
}

/** The width of the page, and elements outside of the window. */
globalThis.overflowing = () => ({
  scrollWidth: document.documentElement.scrollWidth,
  wide: [...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .slice(0, 5)
    .map((element) => element.outerHTML.slice(0, 100)),
})
