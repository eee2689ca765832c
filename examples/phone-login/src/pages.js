// The three pages: plain forms that work without a script, and on a phone.
import { html } from './html.js'

const NOTHING = html``

/** @typedef {{ problem?: string }} Problem the error of the last request */

/** @param {{ number?: string } & Problem} [facts] */
export function numberPage({ number = '', problem } = {}) {
  return page(
    { title: 'Sign in', problem },
    html`<p>We send a code to your phone. There is no password to remember.</p>
      <form method="post" action="/code">
        <label for="number">Mobile number</label>
        <input id="number" name="number" type="tel" autocomplete="tel" required maxlength="30" value="${number}"
          placeholder="98…" autofocus ${described(problem)}>
        <button>Send me a code</button>
      </form>`,
  )
}

/** @param {{ number: string, isOver: boolean } & Problem} facts `isOver`: only a new code helps */
export function codePage({ number, isOver, problem }) {
  const enter = html`<form method="post" action="/verify">
        <label for="code">Six-digit code</label>
        <input id="code" name="code" class="code" inputmode="numeric" autocomplete="one-time-code" pattern="\\s*[0-9]{3}\\s?[0-9]{3}\\s*"
          title="six digits" required maxlength="10" autofocus ${described(problem)}>
        <button>Sign in</button>
      </form>`
  return page(
    { title: 'Enter the code', problem },
    html`<p>We sent a code to <strong>${number}</strong>. It is valid for five minutes.</p>
      ${isOver ? NOTHING : enter}
      <div class="others">
        <form method="post" action="/code/again"><button class="${isOver ? '' : 'quiet'}">Send a new code</button></form>
        <form method="post" action="/forget"><button class="quiet">Use another number</button></form>
      </div>`,
  )
}

/** @param {{ number: string, since: Date }} session */
export function homePage({ number, since }) {
  return page(
    { title: 'You are signed in' },
    html`<p>As <strong>${number}</strong>, since
        <time datetime="${since.toISOString()}">${since.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>.</p>
      <form method="post" action="/sign-out"><button>Sign out</button></form>`,
  )
}

/** @param {string} problem */
export function errorPage(problem) {
  return page({ title: 'That did not work', problem }, html`<p><a href="/">Back to the start</a></p>`)
}

/** @param {string | undefined} problem */
function described(problem) {
  return problem === undefined ? NOTHING : html`aria-invalid="true" aria-describedby="problem"`
}

/**
 * @param {{ title: string } & Problem} head
 * @param {ReturnType<typeof html>} content
 */
function page({ title, problem }, content) {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${problem === undefined ? '' : 'Problem: '}${title}</title>
    <link rel="stylesheet" href="/style.css">
    <link rel="icon" href="data:,">
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      ${problem === undefined ? NOTHING : html`<p id="problem" class="problem" role="alert">${problem}</p>`}
      ${content}
    </main>
  </body>
</html>
`.text
}
