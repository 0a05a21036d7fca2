// The stylesheets, the scripts and the icon of the pages. Browsers cache them for ever, so each URL contains a digest of the file.
// The comments and the indentation of the sources are not sent.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Asset, assetFolder, memoize } from '#core'
import { createAccentCss } from './accent.ts'
import type { BrowsableOptions } from './browsable-options.ts'

const types = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' } as const

const iconText =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b57d0"/><path d="M8 10h16M8 16h16M8 22h10" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>\n'

const readFile = (name: string): string => readFileSync(new URL(`files/${name}`, import.meta.url), 'utf8')

/** A script without indentation and lines of comments. No text of a script has several lines. */
const shortenScript = (text: string): string => text.replaceAll(/^\s*(?:\/\/.*)?\n?/gm, '')

/** A stylesheet without comments, and with a line for each rule of several lines. */
const shortenStyle = (text: string): string =>
  text
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/([{;,])\s*\n\s*/g, '$1')
    .replaceAll(/\s*\n\s*/g, '\n')

// The modules of the script share their names: each file is a block, except the first one, whose declarations the others use.
const readScript = (name: string): string => {
  const code = shortenScript(readFile(`${name}.js`))
    .replaceAll(/^import [^']*'.*'\n/gm, '')
    .replaceAll(/^export /gm, '')
  return name === 'pages' ? `'use strict'\n${code}` : `'use strict'\n{\n${code}}\n`
}

/** What a page with this script contains. */
const scriptMarks: Readonly<Record<string, RegExp>> = {
  pages: /^/,
  combobox: / data-(?:combobox|without-script)[ >]/,
  list: / data-(?:bulk|feed|continue|keys|ends-selection)[ =>]/,
  console: /class="console"/,
}

const pageStyle = createAsset('pages', 'css', shortenStyle(readFile('pages.css') + readFile('console.css')))
const icon = createAsset('icon', 'svg', iconText)
const scripts = Object.entries(scriptMarks).map(([name, mark]) => ({
  asset: createAsset(name, 'js', readScript(name)),
  mark,
}))
const findScript = createAsset('find', 'js', readScript('find'))
const passkeyScript = createAsset('passkeys', 'js', shortenScript(readFile('passkeys.js')))

type Styles = Pick<BrowsableOptions, 'css' | 'accent'>

/** The files of the pages, with the application's own CSS. */
export const listAssets = (options: Styles): readonly Asset[] => [
  ...listStyles(options),
  ...scripts.map(({ asset }) => asset),
  findScript,
  passkeyScript,
  icon,
]

/** The URLs of the assets that a page with this content needs; `root` is the path of the API, without a slash at its end. */
export const formatAssetUrls = (
  root: string,
  options: Styles,
  contentHtml: string,
): { readonly styles: readonly string[]; readonly scripts: readonly string[]; readonly icon: string } => ({
  icon: root + assetFolder + icon.name,
  styles: listStyles(options).map(({ name }) => root + assetFolder + name),
  scripts: scripts.filter(({ mark }) => mark.test(contentHtml)).map(({ asset }) => root + assetFolder + asset.name),
})

/** The URL of the script with the suggestions of the search. */
export const formatFindScript = (root: string): string => root + assetFolder + findScript.name

/** The URL of the script that only pages with a form for a passkey load. */
export const formatPasskeyScript = (root: string): string => root + assetFolder + passkeyScript.name

function listStyles({ css = '', accent }: Styles): readonly Asset[] {
  const own = (accent === undefined ? '' : accentCss(JSON.stringify(accent))) + css
  return own === '' ? [pageStyle] : [pageStyle, ownStyle(own)]
}

const accentCss = memoize((accent: string) => createAccentCss(JSON.parse(accent)), { maxEntries: 100 })

const ownStyle = memoize((css: string) => createAsset('site', 'css', css), { maxEntries: 100 })

function createAsset(name: string, extension: keyof typeof types, text: string): Asset {
  const body = Buffer.from(text)
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 12)
  return Object.freeze({
    name: `${name}.${digest}.${extension}`,
    contentType: `${types[extension]}; charset=utf-8`,
    body,
  })
}
