// Builds pages with html`…`: values are escaped, unless html`…` made them.

class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text
  }
}

/**
 * @param {TemplateStringsArray} pieces
 * @param {(string | number | Markup)[]} values
 */
export function html(pieces, ...values) {
  return new Markup(String.raw({ raw: pieces }, ...values.map((it) => (it instanceof Markup ? it.text : escaped(it)))))
}

/** @param {string | number} value */
function escaped(value) {
  return String(value).replaceAll(/[&<>"']/g, (it) => `&#${it.charCodeAt(0)};`)
}
