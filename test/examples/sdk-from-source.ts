// Loaded before an example (node --import): resolves `@hulaki/client` to sdk/src. outsider.long.test.ts installs the packed client.
import { registerHooks } from 'node:module'

const SDK = new URL('../../sdk/src/index.ts', import.meta.url).href

registerHooks({
  resolve: (name, context, next) => next(name === '@hulaki/client' ? SDK : name, context),
})
