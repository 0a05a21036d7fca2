// The stylesheets and the script of the pages. Browsers cache them, so each URL contains a digest of the file.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { memoize } from '../memoize.ts'
import { type Asset, assetFolder } from '../renderers/renderer.ts'
import type { BrowsableOptions } from './browsable-options.ts'

const pageStyle = createAsset('pages', 'css', readFileSync(new URL('files/pages.css', import.meta.url)))
// One script, so that pages load one.
const scriptFiles = [new URL('files/pages.js', import.meta.url), new URL('files/combobox.js', import.meta.url)]
const pageScript = createAsset('pages', 'js', Buffer.concat(scriptFiles.map(file => readFileSync(file))))

type Styles = Pick<BrowsableOptions, 'css'>

/** The files of the pages, with the application's own CSS. */
export const listAssets = (options: Styles): readonly Asset[] => [...listStyles(options), pageScript]

/** The URLs of the assets; `root` is the path of the API, without a slash at its end. */
export const formatAssetUrls = (
  root: string,
  options: Styles,
): { readonly styles: readonly string[]; readonly script: string } => ({
  styles: listStyles(options).map(({ name }) => root + assetFolder + name),
  script: root + assetFolder + pageScript.name,
})

const listStyles = ({ css }: Styles): readonly Asset[] => (css === undefined ? [pageStyle] : [pageStyle, ownStyle(css)])

const ownStyle = memoize((css: string) => createAsset('site', 'css', Buffer.from(css)), { maxEntries: 100 })

function createAsset(name: string, extension: 'css' | 'js', body: Buffer): Asset {
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 12)
  const type = extension === 'css' ? 'text/css' : 'text/javascript'
  return Object.freeze({ name: `${name}.${digest}.${extension}`, contentType: `${type}; charset=utf-8`, body })
}
