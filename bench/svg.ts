// Elements and numbers of a chart.

const BAR_HEIGHT = 16

export function text(
  attributes: { x: number; y: number; class?: string; 'text-anchor'?: string },
  content: string,
): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<text ${attributesOf(attributes)}>${escaped}</text>`
}

export function bar(attributes: { x: number; y: number; width: number; class: string; height?: number }): string {
  return `<rect ${attributesOf({ height: BAR_HEIGHT, ...attributes })}/>`
}

/** A whole number with its digits in groups; empty for null. */
export function formatCount(value: number | null): string {
  return value === null ? '' : String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ' ')
}

function attributesOf(attributes: Record<string, string | number>): string {
  const format = (value: string | number) => (typeof value === 'number' ? Math.round(value * 10) / 10 : value)
  return Object.entries(attributes)
    .map(([name, value]) => `${name}="${format(value)}"`)
    .join(' ')
}
