// Bundles the package into few files, because Node takes longer to find, read and link hundreds of modules than to run
// them (decision 030). All entry points and the command line share their chunks, so that no class exists twice.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin, transform } from 'esbuild'
import { separateLocales } from './separate-locales.ts'

/**
 * The peers of hundreds of modules that are bundled too, with the paths by which this project and its users import them.
 * Users exchange no classes with them: their values are recognized by their properties (decision 030).
 */
const bundledPeers = { kysely: ['kysely', 'kysely/migration'], zod: ['zod', 'zod/v4/core'] }

export interface EntryPointOptions {
  readonly root: string
  /** The folder that corresponds to `src`. */
  readonly lib: string
  /** The modules that must exist at the same path below `lib`. */
  readonly sources: readonly string[]
  /** The packages that are installed with this one or by its users. */
  readonly installed: readonly string[]
}

/** Bundles our own modules, Kysely and Zod, and the packages that users do not install. */
export async function bundleEntryPoints({ root, lib, sources, installed }: EntryPointOptions): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { ...nameSources(sources), ...namePeers() },
    outdir: lib,
    chunkNames: `chunks/[name]-[hash]${chunkMark}`,
    external: installed.filter(name => !(name in bundledPeers)),
    plugins: [markUrls(join(root, 'src')), separateLocales(root), stripPackages, requireBuiltIns],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    write: false,
    legalComments: 'none',
    logLevel: 'error',
  })
  for (const { path, text } of outputFiles)
    write(renameChunks(path), renameChunks(restoreUrls(text, relative(dirname(path), lib))))
  write(join(lib, 'peers/index.json'), JSON.stringify(describePeers(root)))
}

/** Bundles an entry point that also runs in browsers into one file, which imports nothing. */
export async function bundleForBrowsers(root: string, lib: string, source: string): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: nameSources([source]),
    outdir: lib,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    write: false,
    logLevel: 'error',
  })
  for (const { path, text } of outputFiles) write(path, text)
}

// Node searches the folders above each `.js` file for the `package.json` that says whether it is a module (decision 030).
const chunkMark = '.chunk'
const renameChunks = (text: string): string => text.replaceAll(`${chunkMark}.js`, '.mjs')

const nameSources = (sources: readonly string[]) =>
  Object.fromEntries(sources.map(source => [source.replace(/^(?:\.\/)?src\//, '').replace(/\.ts$/, ''), source]))

const namePeers = () =>
  Object.fromEntries(
    Object.values(bundledPeers)
      .flat()
      .map(specifier => [nameFile(specifier), specifier]),
  )

const nameFile = (specifier: string): string => `peers/${specifier.replaceAll('/', '-')}`

/** The index that `module-hooks.ts` reads: the bundled versions, and the file of each import, relative to it. */
const describePeers = (root: string) =>
  Object.entries(bundledPeers).map(([name, specifiers]) => ({
    name,
    version: JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version,
    modules: Object.fromEntries(specifiers.map(specifier => [specifier, `../${nameFile(specifier)}.js`])),
  }))

const urlMark = 'lib://'

// A bundled module finds its files in the same place as before.
const markUrls = (source: string): Plugin => ({
  name: 'mark-urls',
  setup(bundler) {
    bundler.onLoad({ filter: /\.ts$/, namespace: 'file' }, async ({ path }) => {
      const file = relative(source, path).replaceAll('\\', '/').replace(/\.ts$/, '.js')
      const url = JSON.stringify(urlMark + file)
      const text = await readFile(path, 'utf8')
      const marked = text.replaceAll('import.meta.url', `new URL(${url}, import.meta.url).href`)
      return { contents: takeBuiltIns(marked), loader: 'ts' }
    })
  },
})

const restoreUrls = (text: string, folder: string): string =>
  text.replaceAll(urlMark, folder === '' ? './' : `${folder.replaceAll('\\', '/')}/`)

// Kysely's comments are longer than its code, and shorter text takes less time to read, and less memory.
const stripPackages: Plugin = {
  name: 'strip-packages',
  setup(bundler) {
    bundler.onLoad({ filter: /[\\/]node_modules[\\/].*\.js$/, namespace: 'file' }, async ({ path }) => ({
      contents: await stripComments(takeBuiltIns(await readFile(path, 'utf8'))),
    }))
  },
}

const stripComments = async (text: string): Promise<string> =>
  (await transform(text, { minifyWhitespace: true, legalComments: 'none' })).code

// Takes the imported names of a built-in module from the module itself: an import would evaluate every getter among its
// exports, and some of them load further modules (decision 030).
const takeBuiltIns = (text: string): string =>
  text.replaceAll(builtInImport, (_, whole?: string, names?: string, module?: string) => {
    const exports = `globalThis.process.getBuiltinModule(${module})`
    const lines = [
      ...(whole === undefined ? [] : [`const ${whole} = ${exports};`]),
      ...(names === undefined ? [] : [`const { ${formatNames(names)} } = ${exports};`]),
    ]
    return lines.join(' ')
  })

const builtInImport = /^import (?:(\w+)(?:, )?)?(?:\{([^}]*)\})? from (['"]node:[\w/]+['"]);?$/gm

// `a, b as c, type D` becomes `a, b: c`.
const formatNames = (names: string): string =>
  names
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && !name.startsWith('type '))
    .map(name => name.replace(' as ', ': '))
    .join(', ')

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

function write(path: string, text: string): void {
  const [character] = /[^\0-\x7f]/.exec(text) ?? []
  if (character !== undefined) throw new Error(`${path}: contains ${character}; write it as an escape or in a string`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
