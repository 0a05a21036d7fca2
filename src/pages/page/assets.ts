// The stylesheets and the script of the pages. Browsers cache them, so each URL contains a digest of the file.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Asset, assetFolder, memoize } from '#core'
import type { BrowsableOptions } from './browsable-options.ts'

const readParts = (names: readonly string[]): readonly string[] =>
  names.map(name => readFileSync(new URL(`files/${name}`, import.meta.url), 'utf8'))

// The modules of the script share their names: each file is a block, except the first one, whose declarations the others use.
const readScript = (name: string): string => {
  const [text] = readParts([`${name}.js`]) as readonly [string]
  const code = text.replaceAll(/^import [^']*'.*'$/gm, '').replaceAll(/^export /gm, '')
  return name === 'pages' ? `'use strict'\n${code}` : `'use strict'\n{\n${code}}\n`
}

/** What a page with this script contains. */
const scriptMarks: Readonly<Record<string, RegExp>> = {
  pages: /^/,
  combobox: / data-(?:combobox|without-script)[ >]/,
  list: / data-(?:bulk|feed|continue|keys|ends-selection)[ =>]/,
  console: /class="console"/,
}

const pageStyle = createAsset('pages', 'css', Buffer.from(readParts(['pages.css', 'console.css']).join('')))
const scripts = Object.entries(scriptMarks).map(([name, mark]) => ({
  asset: createAsset(name, 'js', Buffer.from(readScript(name))),
  mark,
}))
const passkeyScript = createAsset('passkeys', 'js', Buffer.from(readParts(['passkeys.js']).join('')))

type Styles = Pick<BrowsableOptions, 'css'>

/** The files of the pages, with the application's own CSS. */
export const listAssets = (options: Styles): readonly Asset[] => [
  ...listStyles(options),
  ...scripts.map(({ asset }) => asset),
  passkeyScript,
]

/** The URLs of the assets that a page with this content needs; `root` is the path of the API, without a slash at its end. */
export const formatAssetUrls = (
  root: string,
  options: Styles,
  contentHtml: string,
): { readonly styles: readonly string[]; readonly scripts: readonly string[] } => ({
  styles: listStyles(options).map(({ name }) => root + assetFolder + name),
  scripts: scripts.filter(({ mark }) => mark.test(contentHtml)).map(({ asset }) => root + assetFolder + asset.name),
})

/** The URL of the script that only pages with a form for a passkey load. */
export const formatPasskeyScript = (root: string): string => root + assetFolder + passkeyScript.name

const listStyles = ({ css }: Styles): readonly Asset[] => (css === undefined ? [pageStyle] : [pageStyle, ownStyle(css)])

const ownStyle = memoize((css: string) => createAsset('site', 'css', Buffer.from(css)), { maxEntries: 100 })

function createAsset(name: string, extension: 'css' | 'js', body: Buffer): Asset {
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 12)
  const type = extension === 'css' ? 'text/css' : 'text/javascript'
  return Object.freeze({ name: `${name}.${digest}.${extension}`, contentType: `${type}; charset=utf-8`, body })
}
