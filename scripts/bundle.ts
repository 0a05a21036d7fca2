// Bundles the package into few files, because Node takes longer to find, read and link hundreds of modules than to run
// them (decision 030). All entry points and the command line share their chunks, so that no class exists twice.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'

const common = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  write: false,
  legalComments: 'none',
  logLevel: 'error',
} satisfies BuildOptions

export interface EntryPointOptions {
  readonly root: string
  /** The folder that corresponds to `src`. */
  readonly lib: string
  /** The modules that must exist at the same path below `lib`. */
  readonly sources: readonly string[]
  /** The packages that are loaded from `node_modules`. */
  readonly external: readonly string[]
}

/** Bundles our own modules, and those packages that users do not install. */
export async function bundleEntryPoints({ root, lib, sources, external }: EntryPointOptions): Promise<void> {
  const source = join(root, 'src')
  const { outputFiles } = await build({
    ...common,
    absWorkingDir: root,
    entryPoints: [...sources],
    outbase: 'src',
    outdir: lib,
    chunkNames: 'chunks/[name]-[hash]',
    external: [...external],
    plugins: [markUrls(source), requireBuiltIns],
  })
  for (const { path, text } of outputFiles) write(path, restoreUrls(text, relative(dirname(path), lib)))
}

const urlMark = 'lib://'

// A bundled module finds its files in the same place as before.
const markUrls = (source: string): Plugin => ({
  name: 'mark-urls',
  setup(bundler) {
    bundler.onLoad({ filter: /\.ts$/, namespace: 'file' }, async ({ path }) => {
      const file = relative(source, path).replaceAll('\\', '/').replace(/\.ts$/, '.js')
      const url = JSON.stringify(urlMark + file)
      const text = await readFile(path, 'utf8')
      return { contents: text.replaceAll('import.meta.url', `new URL(${url}, import.meta.url).href`), loader: 'ts' }
    })
  },
})

const restoreUrls = (text: string, folder: string): string =>
  text.replaceAll(urlMark, folder === '' ? './' : `${folder.replaceAll('\\', '/')}/`)

// A bundled CommonJS package cannot call `require` in an ES module.
const requireBuiltIns: Plugin = {
  name: 'require-built-ins',
  setup(bundler) {
    bundler.onResolve({ filter: /^(?:node:)?[a-z_/]+$/ }, ({ kind, path }) =>
      kind === 'require-call' ? { path, namespace: 'built-in' } : undefined,
    )
    bundler.onLoad({ filter: /./, namespace: 'built-in' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }))
  },
}

/** The peers of hundreds of modules, with the paths by which this project and its users import them. */
const peers = { kysely: ['kysely', 'kysely/migration'], zod: ['zod', 'zod/v4/core'] }

/** Bundles Kysely and Zod for `module-hooks.ts`, with an index of the bundled versions. */
export async function bundlePeers({ root, lib }: { readonly root: string; readonly lib: string }): Promise<void> {
  const folder = join(lib, 'peers')
  const specifiers = Object.values(peers).flat()
  const { outputFiles } = await build({
    ...common,
    absWorkingDir: root,
    entryPoints: Object.fromEntries(specifiers.map(specifier => [specifier.replaceAll('/', '-'), specifier])),
    outdir: folder,
    chunkNames: 'chunk-[hash]',
    // Shorter text takes less time to read, and less memory. Their stacks matter less than those of our own modules.
    minifyWhitespace: true,
    minifySyntax: true,
  })
  for (const { path, text } of outputFiles) write(path, text)
  const index = Object.entries(peers).map(([name, names]) => ({
    name,
    version: JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version,
    modules: Object.fromEntries(names.map(specifier => [specifier, `./${specifier.replaceAll('/', '-')}.js`])),
  }))
  write(join(folder, 'index.json'), JSON.stringify(index))
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
