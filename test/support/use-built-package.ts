// Preloaded by processes that tests start: imports of the package load its build, in a third of the time of the sources.

import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const { TEST_PROGRAM } = process.env

if (TEST_PROGRAM !== undefined) {
  // Beside the executable, the name of the package means the package of the executable.
  const parentURL = pathToFileURL(TEST_PROGRAM).href
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, /^resource-api(?:\/|$)/.test(specifier) ? { ...context, parentURL } : context),
  })
}
