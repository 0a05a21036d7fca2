// The logo that an application chooses. A file, or the text of an SVG, is a file of the pages, as their policy requires.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** An image that pages load from this server. */
export interface LogoImage {
  readonly extension: 'svg' | 'png'
  readonly body: Buffer
}

const maxSize = 100 * 1024

/**
 * Reads the image of a logo; undefined if the logo is a URL that pages link to as it is. Throws if it is no image that pages can show.
 *
 * @example
 * readLogo(new URL('./logo.svg', import.meta.url))
 */
export function readLogo(logo: string | URL): LogoImage | undefined {
  const text = String(logo).trim()
  if (/^(?:\/(?![/\\])|data:image\/)/.test(text)) return undefined
  if (text.startsWith('<')) return checkImage(Buffer.from(text), 'the text')
  if (!text.startsWith('file:'))
    throw new Error(
      `browsable(): logo is ${JSON.stringify(text.slice(0, 100))}: give a file, such as new URL('./logo.svg', import.meta.url), the text of an SVG, a path on this server, such as "/logo.svg", or a "data:image/" URL`,
    )
  const path = fileURLToPath(text)
  return checkImage(readImage(path), path)
}

function readImage(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new Error(`browsable(): logo: ${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function checkImage(body: Buffer, name: string): LogoImage {
  const refuse = (reason: string) => new Error(`browsable(): logo: ${name} ${reason}`)
  if (body.length > maxSize)
    throw refuse(`has ${body.length} bytes: ${maxSize} are possible, because each page loads it`)
  if (body.subarray(0, pngSignature.length).equals(pngSignature)) return { extension: 'png', body }
  // The declaration, the document type and comments may stand before the image.
  const text = body.toString('utf8').replace(/^\uFEFF?(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>)*/s, '')
  if (!/^<svg[\s>].*<\/svg>\s*$/s.test(text)) throw refuse('is neither an SVG nor a PNG')
  if (!/^<svg\s[^>]*\bxmlns=/.test(text))
    throw refuse('has no xmlns="http://www.w3.org/2000/svg", so browsers do not show it')
  // Somebody may open the address of the file as a page.
  if (/<script|<foreignObject|\son\w+\s*=|javascript:/i.test(text)) throw refuse('contains a script: remove it')
  return { extension: 'svg', body }
}
