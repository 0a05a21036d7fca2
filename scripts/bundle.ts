// Bundles the command line, so that Node loads our 230 modules, Kysely's 250 and Zod's 95 as one (decision 030). The
// libraries are not bundled.

import { readFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'

/** These packages are bundled; all others are loaded from `node_modules`. */
const taken = ['commander', 'cookie', 'ghtml', 'kysely', 'zod']

/** Replaces a built command line (`…/cli.js`) with its bundle. */
export async function bundle(entry: string, dependencies: readonly string[]): Promise<void> {
  const folder = dirname(entry)
  await build({
    entryPoints: [entry],
    outdir: folder,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    chunkNames: 'cli-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    tsconfigRaw: {},
    external: dependencies.filter(name => !taken.includes(name)),
    plugins: [keepUrls(folder)],
    logLevel: 'error',
  })
}

// A bundled module finds its files in the same place as before.
const keepUrls = (folder: string): Plugin => ({
  name: 'keep-urls',
  setup(bundler) {
    bundler.onLoad({ filter: /\.js$/, namespace: 'file' }, async ({ path }) => {
      if (!path.startsWith(folder)) return undefined
      const url = JSON.stringify(relative(folder, path).replaceAll('\\', '/'))
      const text = await readFile(path, 'utf8')
      return { contents: text.replaceAll('import.meta.url', `new URL(${url}, import.meta.url).href`), loader: 'js' }
    })
  },
})
