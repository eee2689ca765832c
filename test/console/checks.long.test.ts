// The checks of every screen find each defect on a page that has it on purpose.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inBrowser, judgeScreen, openReader } from '../harness/browser.ts'

const PAGE = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title>${head}</head><body><main><h1>A page</h1>${body}</main></body></html>`
const POLICY = "default-src 'none'; style-src 'self'; script-src 'self'"

const BROKEN: Record<string, [fault: RegExp, page: string]> = {
  'low contrast': [/axe color-contrast/, PAGE('<p style="color:#bbb;background:#fff">pale</p>')],
  'a button without a name': [/axe button-name/, PAGE('<button></button>')],
  'a page wider than a phone': [/at 360 px it is/, PAGE('<div style="width:900px">wide</div>')],
  'an inline style': [/policy: style-src/, PAGE('<p style="color:red">red</p>')],
  'a script that fails': [/script: no such thing/, PAGE('', '<script src="/fails.js"></script>')],
  'a layout shift after the first paint': [/layout shift/, PAGE('<p>here</p>', '<script src="/moves.js"></script>')],
}

const SCRIPTS: Record<string, string> = {
  '/fails.js': "throw new Error('no such thing')",
  '/moves.js': `addEventListener('load', () => setTimeout(() => {
    const box = document.createElement('div')
    box.style.height = '300px'
    document.body.prepend(box)
    setTimeout(() => document.body.dataset.moved = 'yes', 200)
  }, 200))`,
}

for (const [name, [fault, html]] of Object.entries(BROKEN)) {
  test(`it is found: ${name}`, inBrowser, async () => {
    const reader = await openReader()
    await reader.page.route('http://broken.test/**', (route) => {
      const script = SCRIPTS[new URL(route.request().url()).pathname]
      const isAboutStyle = fault.source.includes('policy')
      if (script) return route.fulfill({ contentType: 'text/javascript', body: script })
      return route.fulfill({
        contentType: 'text/html',
        body: html,
        headers: isAboutStyle ? { 'content-security-policy': POLICY } : {},
      })
    })
    await reader.page.goto('http://broken.test/')
    if (html.includes('moves.js')) await reader.page.waitForSelector('body[data-moved]')
    await assert.rejects(judgeScreen(reader, 'broken'), fault)
  })
}
