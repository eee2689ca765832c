// Runs in the page of a real browser, before anything of the page does: keeps what moved, and what the page's policy forbade.
const watched = { shifts: [], violations: [] }
globalThis.watched = watched

addEventListener('securitypolicyviolation', (event) => {
  watched.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`)
})

new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue
    // What moved may be a text, which has no markup, or be gone meanwhile.
    const what = sources
      .map(({ node }) => (node instanceof Element ? node : node?.parentElement)?.outerHTML.slice(0, 80) ?? 'gone')
      .join('; ')
    watched.shifts.push({ value, what })
  }
}).observe({ type: 'layout-shift', buffered: true })

/** How wide the page is, and what of it stands out of the window. */
globalThis.overflowing = () => ({
  scrollWidth: document.documentElement.scrollWidth,
  wide: [...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .slice(0, 5)
    .map((element) => element.outerHTML.slice(0, 100)),
})
