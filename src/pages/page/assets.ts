// The stylesheets and the script of the pages. Browsers cache them, so each URL contains a digest of the file.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Asset, assetFolder, memoize } from '#core'
import type { BrowsableOptions } from './browsable-options.ts'

const readParts = (names: readonly string[]): readonly string[] =>
  names.map(name => readFileSync(new URL(`files/${name}`, import.meta.url), 'utf8'))

// One file of each kind is one request. Each module of the script is a block without its imports and exports, except the first one,
// whose exports are the names that the others import.
const [firstModule = '', ...modules] = readParts(['pages.js', 'combobox.js', 'console.js']).map(text =>
  text.replaceAll(/^import [^']*'.*'$/gm, '').replaceAll(/^export /gm, ''),
)
const scriptText = [`'use strict'\n`, firstModule, ...modules.map(text => `{\n${text}}\n`)].join('')

const pageStyle = createAsset('pages', 'css', Buffer.from(readParts(['pages.css', 'console.css']).join('')))
const pageScript = createAsset('pages', 'js', Buffer.from(scriptText))
const passkeyScript = createAsset('passkeys', 'js', Buffer.from(readParts(['passkeys.js']).join('')))

type Styles = Pick<BrowsableOptions, 'css'>

/** The files of the pages, with the application's own CSS. */
export const listAssets = (options: Styles): readonly Asset[] => [...listStyles(options), pageScript, passkeyScript]

/** The URLs of the assets; `root` is the path of the API, without a slash at its end. */
export const formatAssetUrls = (
  root: string,
  options: Styles,
): { readonly styles: readonly string[]; readonly script: string } => ({
  styles: listStyles(options).map(({ name }) => root + assetFolder + name),
  script: root + assetFolder + pageScript.name,
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
