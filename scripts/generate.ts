// `npm run generate`: writes the generated files. `npm run generate -- schema types` writes only some.
const GENERATORS: Record<string, () => Promise<unknown>> = {
  schema: () => import('./schema.ts'),
  types: () => import('./types.ts'),
  images: async () => (await import('./screenshots.ts')).takeDocsImages(),
}

const named = process.argv.slice(2)
const unknown = named.find((name) => !(name in GENERATORS))
if (unknown === undefined) {
  for (const [name, generate] of Object.entries(GENERATORS))
    if (named.length === 0 || named.includes(name)) await generate()
} else {
  console.error(`Unknown generator ${unknown}. Usage: npm run generate -- [${Object.keys(GENERATORS).join('|')}]`)
  process.exitCode = 1
}

export {}
