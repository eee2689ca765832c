// Runs in the page before its scripts: records layout shifts and CSP violations.
const watched = { shifts: [], violations: [] }
globalThis.watched = watched

addEventListener('securitypolicyviolation', (event) => {
  watched.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`)
})

new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue
    // A source may be a text node, or already removed.
    const what = sources
      .map(({ node }) => (node instanceof Element ? node : node?.parentElement)?.outerHTML.slice(0, 80) ?? 'gone')
      .join('; ')
    watched.shifts.push({ value, what })
  }
}).observe({ type: 'layout-shift', buffered: true })

/** The width of the page, and elements outside of the window. */
globalThis.overflowing = () => ({
  scrollWidth: document.documentElement.scrollWidth,
  wide: [...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .slice(0, 5)
    .map((element) => element.outerHTML.slice(0, 100)),
})
