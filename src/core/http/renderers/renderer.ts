// Turns the body of a response into the bytes of one media type. Runs last; never refuses a request.

import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { OpenApiDocument } from '../../describe/openapi-types.ts'
import type { MessageText } from '../../messages/english.ts'
import type { RequestContext, ViewInfo } from '../context.ts'
import type { Parser } from '../parsers/parser.ts'
import type { RequestBody } from '../parsers/request-body.ts'
import type { HeaderFields, HeaderLayers, ResponseBody } from '../response.ts'

/** Writes one media type. `V` is the view as the renderer receives it. */
export interface Renderer<V extends ViewInfo = ViewInfo> {
  /** The media type that is negotiated, such as `application/json`. */
  readonly mediaType: string
  /** The value of `?format=` that selects this renderer. */
  readonly format: string
  /** Further values of `?format=` that select it. */
  readonly furtherFormats?: readonly string[]
  /** The `Content-Type` of its output. */
  readonly contentType: string
  /** Header fields of its output, in addition to `Content-Type`. */
  readonly headers?: HeaderFields
  /** Files that its pages need. The API serves them below `/-/`. */
  readonly assets?: readonly Asset[]
  /** True: its texts are compressed in any API, for requests that no other site can cause. */
  readonly compresses?: boolean
  /** The pages that it makes from the OpenAPI document of the API: a reference for people. */
  readonly documentPages?: readonly DocumentPage[]
  /** Media type parameters that callers may set, such as `indent`. */
  readonly parameters?: readonly string[]
  /** Whether this media type can represent the body. If not, another renderer of the API writes the response. */
  canRender(body: ResponseBody): boolean
  render(
    body: ResponseBody,
    parameters: ReadonlyMap<string, string>,
    context: RenderContext<V>,
  ): MaybePromise<string | Readable | RenderedBody>
  /**
   * Responds to a POST that stands for another request, such as the form of a page that stands for a PUT; undefined for any other.
   * It is asked once for each POST to the view; `respond` runs the phases of a view.
   */
  gateway?(view: V, request: FastifyRequest, respond: Respond): Promise<RenderedResponse> | undefined
}

/** Runs a request through the phases of a view; it never rejects. Default of `reader`: the view's parsers read the body. */
export type Respond = (view: ViewInfo, request: FastifyRequest, reader?: BodyReader) => Promise<RenderedResponse>

/** How the body of a request becomes that of its handler. */
export interface BodyReader {
  parse(request: FastifyRequest, parsers: readonly Parser[], ofDelete?: boolean): MaybePromise<RequestBody>
  /** Completes the body once the scheme has checked it. */
  complete?(body: RequestBody, view: ViewInfo, method: string): RequestBody
}

/** A response ready to be sent. */
export interface RenderedResponse {
  readonly status: number
  readonly headers: HeaderLayers
  readonly body: string | Buffer | NodeJS.ReadableStream | undefined
}

/** A page that a renderer makes from the OpenAPI document. */
export interface DocumentPage {
  /** The path of its view, below the API. */
  readonly path: string
  readonly name: string
  readonly id: string
  /** Creates the body, which this renderer renders. */
  render(context: RequestContext, findDocument: FindDocument): MaybePromise<object>
}

/** Finds the document with its texts in the language of this function, which is the same one for each language. */
export type FindDocument = (translate: (text: MessageText) => string) => MaybePromise<OpenApiDocument>

/** The path of the renderers' files, below the API's own URL. */
export const assetFolder = '/-/'

/**
 * A file that an API serves in addition to its views. Its name must change with its contents, because it is cached for
 * a year.
 */
export interface Asset {
  readonly name: string
  readonly contentType: string
  readonly body: Buffer
}

/** A rendered body with its own header fields, such as the cookie of a page's forms. */
export interface RenderedBody {
  /** Default: the status of the response. */
  readonly status?: number
  readonly body: string | Buffer | Readable
  readonly headers: HeaderFields
}

/** The request and the response that a body belongs to, for renderers that show more than the body. */
export interface RenderContext<V extends ViewInfo = ViewInfo> extends PhaseResults {
  readonly view: V
  readonly status: number
  /** The header fields of the response; {@link joinLayers} joins them. */
  readonly headers: HeaderLayers
  /** The thrown value; undefined if the handler responded. */
  readonly error: unknown
}

/** The results of the earlier phases for a request. */
export interface PhaseResults {
  readonly request: FastifyRequest
  /** Undefined if the request ended before its caller was identified. */
  readonly requestContext: RequestContext | undefined
  /** Undefined if the request ended before its body was parsed. */
  readonly requestBody: RequestBody | undefined
}
