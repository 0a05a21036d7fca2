// The stylesheets and the script of the pages, as files that browsers keep: their URLs change with their contents.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Asset, assetFolder } from '../renderers/renderer.ts'

const simple = createRequire(import.meta.url).resolve('simpledotcss/simple.min.css')

const base = asset('simple', 'css', readFileSync(simple))
const style = asset('pages', 'css', readFileSync(new URL('files/pages.css', import.meta.url)))
const script = asset('pages', 'js', readFileSync(new URL('files/pages.js', import.meta.url)))

export const browsableAssets: readonly Asset[] = [base, style, script]

/** Their URLs in an API at this root. */
export const assetUrls = (root: string): { readonly styles: readonly string[]; readonly script: string } => ({
  styles: [base, style].map(({ name }) => root + assetFolder + name),
  script: root + assetFolder + script.name,
})

function asset(name: string, extension: 'css' | 'js', body: Buffer): Asset {
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 12)
  const type = extension === 'css' ? 'text/css' : 'text/javascript'
  return Object.freeze({ name: `${name}.${digest}.${extension}`, contentType: `${type}; charset=utf-8`, body })
}
