// Bundles our modules into few files, because Node takes longer to find, read and link hundreds of them than to run them
// (decision 030). All entry points and the command line share their chunks, so that no class exists twice.

import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'

export interface EntryPointOptions {
  readonly root: string
  /** The folder that corresponds to `src`. */
  readonly lib: string
  /** The modules that must exist at the same path below `lib`. */
  readonly sources: readonly string[]
}

/** Bundles our own modules; packages stay imports. */
export async function bundleEntryPoints({ root, lib, sources }: EntryPointOptions): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: nameSources(sources),
    outdir: lib,
    chunkNames: 'chunk-[hash]',
    packages: 'external',
    plugins: [moveUrls(join(root, 'src'))],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    logLevel: 'error',
  })
}

/** Bundles an entry point that also runs in browsers into one file, which imports nothing. */
export async function bundleForBrowsers(root: string, lib: string, source: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: nameSources([source]),
    outdir: lib,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'error',
  })
}

const nameSources = (sources: readonly string[]) =>
  Object.fromEntries(sources.map(source => [source.replace(/^(?:\.\/)?src\//, '').replace(/\.ts$/, ''), source]))

// A bundled module finds its files by the URL that it had in `src`.
const moveUrls = (source: string): Plugin => ({
  name: 'move-urls',
  setup(bundler) {
    bundler.onLoad({ filter: /\.ts$/, namespace: 'file' }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const file = relative(source, path).replaceAll('\\', '/').replace(/\.ts$/, '.js')
      return {
        contents: text.replaceAll('import.meta.url', `new URL(${JSON.stringify(`./${file}`)}, import.meta.url).href`),
        loader: 'ts',
      }
    })
  },
})
