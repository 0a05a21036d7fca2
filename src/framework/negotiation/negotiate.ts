// Chooses the renderer of an answer (SVC-6): `?format=` first, else by Accept: weight, then specificity, then the
// order of the renderers. Rejects with NotFound for an unknown format, NotAcceptable where no renderer will do.

import type { FastifyRequest } from 'fastify'
import { NotAcceptable, NotFound } from '../errors/exceptions.ts'
import { jsonRenderer } from '../renderers/json.ts'
import type { Renderer } from '../renderers/renderer.ts'
import type { ResponseBody } from '../response.ts'
import type { View } from '../view.ts'
import { acceptanceOf, type Offer, parseAccept } from './accept.ts'

/** A renderer, and the parameters that the caller gave with its media type. */
export interface Negotiated {
  readonly renderer: Renderer
  readonly parameters: ReadonlyMap<string, string>
}

/** How an error is written. */
export interface NegotiatedError extends Negotiated {
  /** As problem details (RFC 9457)? Then the renderer is that of JSON. */
  readonly problem: boolean
}

type Negotiating = Pick<View, 'renderers' | 'lenientAccept' | 'formatParam'>

const none: ReadonlyMap<string, string> = new Map()
const plain: Negotiated = { renderer: jsonRenderer, parameters: none }
const problem: Offer = { mediaType: 'application/problem+json', parameters: ['indent'] }

/** The renderer for a request of this view; throws NotFound or NotAcceptable. */
export function negotiate(request: FastifyRequest, view: Negotiating): Negotiated {
  const format = formatOf(request, view)
  if (format === undefined || view.lenientAccept) {
    const chosen = byAccept(request.headers.accept, view.renderers)
    if (chosen !== undefined) return chosen
    if (view.lenientAccept) return plain
    throw new NotAcceptable(
      undefined,
      undefined,
      view.renderers.map(renderer => renderer.mediaType),
    )
  }
  const chosen = byFormat(request, view, format)
  if (chosen === undefined) throw new NotFound()
  return chosen
}

/**
 * The renderer to write a refusal with, whatever the request asks for: the best that will do, or JSON. Problem details
 * are for those who name their media type and like it no less.
 */
export function negotiateError(request: FastifyRequest, view: Negotiating): NegotiatedError {
  const { accept } = request.headers
  const { renderer, parameters } =
    byFormat(request, view, formatOf(request, view)) ?? byAccept(accept, view.renderers) ?? plain
  if (accept === undefined || !/problem\+json/i.test(accept)) return { renderer, parameters, problem: false }
  const ranges = parseAccept(accept)
  const [asProblem, other] = [acceptanceOf(problem, ranges), acceptanceOf(renderer, ranges)]
  const isNamed = asProblem !== undefined && asProblem.specificity > 2 && asProblem.quality > 0
  if (!isNamed || asProblem.quality < (other?.quality ?? 0)) return { renderer, parameters, problem: false }
  return { renderer: jsonRenderer, parameters: asProblem.parameters, problem: true }
}

/** The renderer of content that the view's own do not write: one of the API's that does, JSON where all are the same. */
export function negotiateOther(request: FastifyRequest, view: View, body: ResponseBody): Negotiated {
  const able = [jsonRenderer, ...view.otherRenderers.filter(renderer => renderer !== jsonRenderer)]
  const { renderer, parameters } = negotiateError(request, {
    ...view,
    renderers: able.filter(candidate => candidate.canRender(body)),
  })
  return { renderer, parameters }
}

// The query of a URL that could not be decoded is null.
const formatOf = ({ query }: FastifyRequest, { formatParam }: Negotiating): unknown =>
  formatParam === null ? undefined : (query as Record<string, unknown> | null)?.[formatParam]

// The format overrides Accept, whose parameters still count where it names the same media type.
function byFormat({ headers }: FastifyRequest, { renderers }: Negotiating, format: unknown): Negotiated | undefined {
  const renderer = format === undefined ? undefined : renderers.find(candidate => candidate.format === format)
  return renderer && (byAccept(headers.accept, [renderer]) ?? { renderer, parameters: none })
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
