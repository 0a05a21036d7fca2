// Chooses the renderer of a response (SVC-6) by `?format=`, otherwise by Accept: the highest weight wins, then the
// highest specificity, then the first renderer. Throws NotFound for an unknown format, and NotAcceptable if no renderer
// is acceptable.

import type { FastifyRequest } from 'fastify'
import { memoize } from '../base/bounded-map.ts'
import { NotAcceptable, NotFound } from '../errors/exceptions.ts'
import { findAcceptance, type Offer, parseAccept } from '../http/negotiation/accept.ts'
import { jsonRenderer } from '../http/renderers/json.ts'
import type { Renderer } from '../http/renderers/renderer.ts'
import type { ResponseBody } from '../http/response.ts'
import { frameworkMessages } from '../messages/english.ts'
import type { View } from './view.ts'

/** The chosen renderer, and the media type parameters that the caller sent in Accept. */
export interface Negotiated {
  readonly renderer: Renderer
  readonly parameters: ReadonlyMap<string, string>
}

/** The renderer of an error. */
export interface NegotiatedError extends Negotiated {
  /** Whether the error is written as problem details (RFC 9457), by the JSON renderer. */
  readonly problem: boolean
}

type NegotiationSettings = Pick<View, 'renderers' | 'lenientAccept' | 'formatParam'>

const noParameters: ReadonlyMap<string, string> = new Map()
const cacheOptions = { maxEntries: 50, maxLength: 300 }
const plainJson: Negotiated = { renderer: jsonRenderer, parameters: noParameters }
const problemOffer: Offer = { mediaType: 'application/problem+json', parameters: ['indent'] }

/** Chooses the renderer for a request of this view; throws NotFound or NotAcceptable. */
export function negotiate(request: FastifyRequest, view: NegotiationSettings): Negotiated {
  const format = readFormat(request, view)
  if (format === undefined || view.lenientAccept) {
    const chosen = findByAccept(request.headers.accept, view.renderers)
    if (chosen !== undefined) return chosen
    if (view.lenientAccept) return plainJson
    throw new NotAcceptable(
      undefined,
      undefined,
      view.renderers.map(renderer => renderer.mediaType),
    )
  }
  const chosen = findByFormat(request, view, format)
  if (chosen === undefined) throw new NotFound()
  return chosen
}

/** Finds the version of the API that a request asks for. Throws NotAcceptable or NotFound for an unknown one. */
export function readVersion(request: FastifyRequest, view: View): string | undefined {
  const { versioning } = view
  if (typeof versioning !== 'object') return versioning
  const { in: place, name, versions } = versioning
  const query = request.query as Record<string, unknown> | null
  const version =
    place === 'accept'
      ? negotiateError(request, view).parameters.get(name.toLowerCase())
      : place === 'header'
        ? request.headers[name.toLowerCase()]
        : query?.[name]
  if (version === undefined) return versioning.default
  if (versions.includes(version as string)) return version as string
  if (place === 'accept') throw new NotAcceptable(frameworkMessages('not_acceptable.version'))
  throw new NotFound(frameworkMessages(place === 'header' ? 'not_found.version_header' : 'not_found.version_query'))
}

/**
 * Chooses the renderer of an error, for any request: the best acceptable one, else JSON. Problem details are used if
 * Accept names their media type with at least the weight of that renderer.
 */
export function negotiateError(request: FastifyRequest, view: NegotiationSettings): NegotiatedError {
  const { accept } = request.headers
  const { renderer, parameters } =
    findByFormat(request, view, readFormat(request, view)) ?? findByAccept(accept, view.renderers) ?? plainJson
  if (accept === undefined || !/problem\+json/i.test(accept)) return { renderer, parameters, problem: false }
  const ranges = parseAccept(accept)
  const [problemAcceptance, rendererAcceptance] = [
    findAcceptance(problemOffer, ranges),
    findAcceptance(renderer, ranges),
  ]
  const isNamed = problemAcceptance !== undefined && problemAcceptance.specificity > 2 && problemAcceptance.quality > 0
  if (!isNamed || problemAcceptance.quality < (rendererAcceptance?.quality ?? 0))
    return { renderer, parameters, problem: false }
  return { renderer: jsonRenderer, parameters: problemAcceptance.parameters, problem: true }
}

/**
 * Chooses the renderer of a body that the view's renderers cannot write: the most acceptable of the API's renderers,
 * JSON if several are equally acceptable.
 */
export function negotiateFallback(request: FastifyRequest, view: View, body: ResponseBody): Negotiated {
  const capable = [jsonRenderer, ...view.apiRenderers.filter(renderer => renderer !== jsonRenderer)]
  const { renderer, parameters } = negotiateError(request, {
    ...view,
    renderers: capable.filter(candidate => candidate.canRender(body)),
  })
  return { renderer, parameters }
}

// The query is null if the URL could not be decoded.
const readFormat = ({ query }: FastifyRequest, { formatParam }: NegotiationSettings): unknown =>
  formatParam === null ? undefined : (query as Record<string, unknown> | null)?.[formatParam]

// The format overrides Accept, but parameters of a matching range still count.
function findByFormat(
  { headers }: FastifyRequest,
  { renderers }: NegotiationSettings,
  format: unknown,
): Negotiated | undefined {
  const isNamed = (candidate: Renderer) =>
    candidate.format === format || candidate.furtherFormats?.includes(format as string) === true
  const renderer = format === undefined ? undefined : renderers.find(isNamed)
  return renderer && (findByAccept(headers.accept, [renderer]) ?? { renderer, parameters: noParameters })
}

type ChooseRenderer = (accept: string) => Negotiated | undefined

// The views of an API share their renderers, and clients of the same kind send the same field.
const choices = new WeakMap<readonly Renderer[], ChooseRenderer>()

function findByAccept(accept: string | undefined, renderers: readonly Renderer[]): Negotiated | undefined {
  if (accept === undefined || accept === '*/*')
    return renderers[0] && { renderer: renderers[0], parameters: noParameters }
  const choose = choices.get(renderers) ?? memoize(field => chooseRenderer(field, renderers), cacheOptions)
  choices.set(renderers, choose)
  return choose(accept)
}

function chooseRenderer(accept: string, renderers: readonly Renderer[]): Negotiated | undefined {
  const ranges = parseAccept(accept)
  const candidates = renderers.flatMap(renderer => {
    const acceptance = findAcceptance(renderer, ranges)
    return acceptance && acceptance.quality > 0 ? { renderer, ...acceptance } : []
  })
  candidates.sort((a, b) => b.quality - a.quality || b.specificity - a.specificity)
  return candidates[0]
}
