import type { Asset } from '../renderers/renderer.ts'
import { compressBest } from './compress.ts'
import type { ContentCoding } from './content-coding.ts'

const compressed = new WeakMap<Asset, Map<ContentCoding, Promise<Buffer>>>()

/** Compresses a file once, when it is first asked for. It is public, so its length reveals nothing (decision 069). */
export function compressAsset(asset: Asset, coding: ContentCoding): Promise<Buffer> {
  const codings = compressed.get(asset) ?? new Map<ContentCoding, Promise<Buffer>>()
  compressed.set(asset, codings)
  const body = codings.get(coding) ?? compressBest(asset.body, coding)
  codings.set(coding, body)
  return body
}
