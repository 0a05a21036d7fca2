// Keeps the translations of Zod's messages out of the chunks that our modules load (decision 030). Zod's core exports them
// beside what every schema needs, and a bundler puts a module in each chunk from which it can be reached. So inside the
// bundle, the core has no translations; only the entry points that stand for the installed Zod add them again.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'

const locales = /^export \* as locales from .*$/m

/** Separates the locales of the Zod that is installed in the folder `root`. */
export function separateLocales(root: string): Plugin {
  const core = join(root, 'node_modules/zod/v4/core/index.js')
  const classic = join(root, 'node_modules/zod/v4/classic/external.js')
  const coreWithLocales = { path: core, suffix: '?locales' }
  return {
    name: 'separate-locales',
    setup(bundler) {
      bundler.onResolve({ filter: /^zod(?:\/v4\/core)?$/ }, ({ path, kind }) => {
        if (kind !== 'entry-point') return { path: path === 'zod' ? classic : core }
        return path === 'zod' ? undefined : coreWithLocales
      })
      bundler.onResolve({ filter: /^\.\/v4\/classic\/external\.js$/ }, () => ({ path: classic, suffix: '?locales' }))
      bundler.onResolve({ filter: /^\.\.\/core\/index\.js$/ }, ({ pluginData }) =>
        pluginData === withLocales ? coreWithLocales : { path: core },
      )
      bundler.onLoad({ filter: /[\\/]zod[\\/]v4[\\/](?:core[\\/]index|classic[\\/]external)\.js$/ }, async args => {
        const text = await readFile(args.path, 'utf8')
        if (args.suffix !== '') return { contents: text, pluginData: withLocales }
        if (!locales.test(text)) throw new Error(`${args.path}: does not export locales`)
        return { contents: text.replace(locales, '') }
      })
    },
  }
}

const withLocales = Symbol('with locales')
