// Text from outside, such as a name: its direction and length do not change the layout.

export function foreign(text: string | null | undefined) {
  return <span class="foreign">{text}</span>
}

export function mono(text: string) {
  return <span class="mono foreign">{text}</span>
}
