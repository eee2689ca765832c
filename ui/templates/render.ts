// A sample message of a template: a variable without a value shows its name.
import type { ParsedTemplate } from '../../src/domain/templates/template.ts'

export function render({ literals, variables }: ParsedTemplate, values: Readonly<Record<string, string>>): string {
  return literals
    .map((literal, index) => {
      const name = variables[index]
      return name === undefined ? literal : literal + (values[name] || name)
    })
    .join('')
}
