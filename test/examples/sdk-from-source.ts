// Loaded before an example (node --import): `@hulaki/client` is what stands in sdk/src, unpacked. The test of the outsider packs it.
import { registerHooks } from 'node:module'

const SDK = new URL('../../sdk/src/index.ts', import.meta.url).href

registerHooks({
  resolve: (name, context, next) => next(name === '@hulaki/client' ? SDK : name, context),
})
