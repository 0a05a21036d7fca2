// The stylesheets, the scripts and the icon of the pages. Browsers cache them for ever, so each URL contains a digest of the file.
// The comments and the indentation of the sources are not sent.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { html } from 'ghtml'
import { type Asset, assetFolder, memoize } from '#core'
import { createAccentCss } from './accent.ts'
import type { BrowsableOptions } from './browsable-options.ts'
import { readLogo } from './logo.ts'

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png',
} as const

const iconText =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b57d0"/><path d="M8 10h16M8 16h16M8 22h10" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>\n'

const readFile = (name: string): string => readFileSync(new URL(`files/${name}`, import.meta.url), 'utf8')

/** A script without indentation and lines of comments. No text of a script has several lines. */
const shortenScript = (text: string): string => text.replaceAll(/^\s*(?:\/\/.*)?\n?/gm, '')

/** A stylesheet without comments, with a line for each rule, and without the spaces that mean nothing. */
const shortenStyle = (text: string): string =>
  text
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/([{;,])\s*\n\s*/g, '$1')
    .replaceAll(/;?\s*\n\s*/g, '\n')
    .replaceAll(/\s*\{/g, '{')
    .replaceAll(/([{;][\w-]+): /g, '$1:')

// The modules of the script share their names: each file is a block, except those whose declarations the others use.
const sharedScripts: ReadonlySet<string> = new Set(['pages', 'forms'])

/** The files of scripts that have another one inside. */
const scriptFiles: Readonly<Record<string, readonly string[]>> = {
  console: ['answer', 'console'],
  reference: ['answer', 'reference'],
}

const readScript = (name: string): string => {
  const files = scriptFiles[name] ?? [name]
  const code = shortenScript(files.map(file => readFile(`${file}.js`)).join(''))
    .replaceAll(/^import [^']*'.*'\n/gm, '')
    .replaceAll(/^export /gm, '')
  return sharedScripts.has(name) ? `'use strict'\n${code}` : `'use strict'\n{\n${code}}\n`
}

/** Content with an element that has one of these classes, which spaces separate. */
const hasClass = (names: string): RegExp =>
  new RegExp(` class="(?:[^" ]* )*(?:${names.trim().replaceAll(/\s+/g, '|')})[ "]`)

/** The HTML that needs each stylesheet. A stylesheet overrides rules of the ones above it. */
const styleMarks: Readonly<Record<string, RegExp>> = {
  pages: /^/,
  lists: hasClass('bulk downloads filters list pagination selection views'),
  objects: hasClass(`
    action children choice-grid days details edit field group history import key-facts page-section related theirs
    undoable`),
  other: hasClass(
    'activity cards charts comparison copied-line figures found highlighted-code import login qr steps technical warning',
  ),
  combobox: / data-combobox[ >]/,
  console: hasClass('console reference'),
  reference: hasClass('reference'),
}

/** The HTML that needs each script. */
const scriptMarks: Readonly<Record<string, RegExp>> = {
  pages: /^/,
  forms: / data-method="/,
  combobox: / data-combobox[ >]/,
  list: / data-(?:bulk|feed|continue|keys|ends-selection|wait)[ =>]/,
  reference: / data-try="/,
}

const createAssets = (marks: Readonly<Record<string, RegExp>>, create: (name: string) => Asset) =>
  Object.entries(marks).map(([name, mark]) => ({ asset: create(name), mark }))

const styles = createAssets(styleMarks, name => createAsset(name, 'css', shortenStyle(readFile(`${name}.css`))))
const icon = createAsset('icon', 'svg', iconText)
const scripts = createAssets(scriptMarks, name => createAsset(name, 'js', readScript(name)))
const consoleScript = createAsset('console', 'js', readScript('console'))
const hasConsole = hasClass('console')
const findScript = createAsset('find', 'js', readScript('find'))
const passkeyScript = createAsset('passkeys', 'js', shortenScript(readFile('passkeys.js')))

type Styles = Pick<BrowsableOptions, 'css' | 'accent'>
type Logo = Pick<BrowsableOptions, 'logo'>

/** The files of the pages, with the application's own CSS and logo. Throws if one of them is wrong. */
export const listAssets = (options: Styles & Logo): readonly Asset[] => [
  ...styles.map(({ asset }) => asset),
  ...listOwnStyles(options),
  ...scripts.map(({ asset }) => asset),
  consoleScript,
  findScript,
  passkeyScript,
  icon,
  ...findLogo(options),
]

/** The URL of the logo; undefined if there is none. */
export const formatLogoUrl = (root: string, options: Logo): string | undefined => {
  const [asset] = findLogo(options)
  return asset ? root + assetFolder + asset.name : (options.logo as string | undefined)
}

const findLogo = ({ logo }: Logo): readonly Asset[] => (logo === undefined ? [] : logoAsset(String(logo)))

const logoAsset = memoize(
  (logo: string): readonly Asset[] => {
    const image = readLogo(logo)
    return image === undefined ? [] : [createAsset('logo', image.extension, image.body)]
  },
  { maxEntries: 100 },
)

/** The URLs of the assets that a page with this content needs; `root` is the path of the API, without a slash at its end. */
export const formatAssetUrls = (
  root: string,
  options: Styles,
  contentHtml: string,
): { readonly styles: readonly string[]; readonly scripts: readonly string[]; readonly icon: string } => ({
  icon: root + assetFolder + icon.name,
  styles: [...findAssets(styles, contentHtml), ...listOwnStyles(options)].map(({ name }) => root + assetFolder + name),
  scripts: findAssets(scripts, contentHtml).map(({ name }) => root + assetFolder + name),
})

const findAssets = (marked: typeof styles, contentHtml: string): readonly Asset[] =>
  marked.filter(({ mark }) => mark.test(contentHtml)).map(({ asset }) => asset)

/** An element with the script of the page's request, which is loaded once somebody enters the request; empty if the page has none. */
export const formatPanelScript = (root: string, panelHtml: string): string =>
  hasConsole.test(panelHtml)
    ? html`<div data-script="${root + assetFolder + consoleScript.name}"></div>
`
    : ''

/** The URL of the script with the suggestions of the search. */
export const formatFindScript = (root: string): string => root + assetFolder + findScript.name

/** The URL of the script that only pages with a form for a passkey load. */
export const formatPasskeyScript = (root: string): string => root + assetFolder + passkeyScript.name

function listOwnStyles({ css = '', accent }: Styles): readonly Asset[] {
  const own = (accent === undefined ? '' : accentCss(JSON.stringify(accent))) + css
  return own === '' ? [] : [ownStyle(own)]
}

const accentCss = memoize((accent: string) => createAccentCss(JSON.parse(accent)), { maxEntries: 100 })

const ownStyle = memoize((css: string) => createAsset('site', 'css', css), { maxEntries: 100 })

function createAsset(name: string, extension: keyof typeof types, content: string | Buffer): Asset {
  const body = Buffer.from(content)
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 12)
  return Object.freeze({
    name: `${name}.${digest}.${extension}`,
    contentType: types[extension],
    body,
  })
}
