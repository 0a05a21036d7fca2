// Chooses the renderer of an answer (SVC-6): `?format=` first, else by Accept: weight, then specificity, then the
// order of the renderers. Rejects with NotFound for an unknown format, NotAcceptable where no renderer will do.

import type { FastifyRequest } from 'fastify'
import { NotAcceptable, NotFound } from '../errors/exceptions.ts'
import { jsonRenderer } from '../renderers/json.ts'
import type { Renderer } from '../renderers/renderer.ts'
import type { View } from '../view.ts'
import { acceptanceOf, parseAccept } from './accept.ts'

/** A renderer, and the parameters that the caller gave with its media type. */
export interface Negotiated {
  readonly renderer: Renderer
  readonly parameters: ReadonlyMap<string, string>
}

const none: ReadonlyMap<string, string> = new Map()

/** The renderer for a request of this view; throws NotFound or NotAcceptable. */
export function negotiate(request: FastifyRequest, view: Pick<View, 'renderers' | 'lenientAccept'>): Negotiated {
  const { renderers, lenientAccept } = view
  if (lenientAccept) return negotiateLeniently(request, renderers)
  const format = (request.query as { format?: unknown }).format
  if (format !== undefined) return byFormat(format, renderers)
  const chosen = byAccept(request.headers.accept, renderers)
  if (chosen === undefined) throw new NotAcceptable()
  return chosen
}

/** The renderer to write a refusal with, whatever the request asks for: the best that will do, or JSON. */
export function negotiateLeniently(request: FastifyRequest, renderers: readonly Renderer[]): Negotiated {
  return byAccept(request.headers.accept, renderers) ?? { renderer: jsonRenderer, parameters: none }
}

function byFormat(format: unknown, renderers: readonly Renderer[]): Negotiated {
  const renderer = renderers.find(candidate => candidate.format === format)
  if (renderer === undefined) throw new NotFound()
  return { renderer, parameters: none }
}

function byAccept(accept: string | undefined, renderers: readonly Renderer[]): Negotiated | undefined {
  if (accept === undefined || accept === '*/*') return renderers[0] && { renderer: renderers[0], parameters: none }
  const ranges = parseAccept(accept)
  const candidates = renderers.flatMap(renderer => {
    const acceptance = acceptanceOf(renderer, ranges)
    return acceptance && acceptance.quality > 0 ? { renderer, ...acceptance } : []
  })
  candidates.sort((a, b) => b.quality - a.quality || b.specificity - a.specificity)
  return candidates[0]
}
