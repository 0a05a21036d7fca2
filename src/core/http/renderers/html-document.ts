import { Document } from '../response.ts'
import type { Renderer } from './renderer.ts'

/** Sends a finished HTML document as it is. */
export const htmlDocumentRenderer: Renderer = Object.freeze<Renderer>({
  mediaType: 'text/html',
  format: 'html',
  contentType: 'text/html; charset=utf-8',
  canRender: body => body instanceof Document,
  render: body => (body as Document).text,
})
