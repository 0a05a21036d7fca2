// The stylesheets and the script of the pages. Browsers cache them, so each URL contains a digest of the file.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Asset, assetFolder } from '../renderers/renderer.ts'

const simpleCss = createRequire(import.meta.url).resolve('simpledotcss/simple.min.css')

const baseStyle = createAsset('simple', 'css', readFileSync(simpleCss))
const pageStyle = createAsset('pages', 'css', readFileSync(new URL('files/pages.css', import.meta.url)))
const pageScript = createAsset('pages', 'js', readFileSync(new URL('files/pages.js', import.meta.url)))

export const browsableAssets: readonly Asset[] = [baseStyle, pageStyle, pageScript]

/** The URLs of the assets; `root` is the path of the API, without a slash at its end. */
export const formatAssetUrls = (root: string): { readonly styles: readonly string[]; readonly script: string } => ({
  styles: [baseStyle, pageStyle].map(({ name }) => root + assetFolder + name),
  script: root + assetFolder + pageScript.name,
})

function createAsset(name: string, extension: 'css' | 'js', body: Buffer): Asset {
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 12)
  const type = extension === 'css' ? 'text/css' : 'text/javascript'
  return Object.freeze({ name: `${name}.${digest}.${extension}`, contentType: `${type}; charset=utf-8`, body })
}
