// The options of a client and of its requests.

import type { MaybePromise } from '#core'

/** How far a body has been sent, or received. */
export interface Progress {
  readonly phase: 'upload' | 'download'
  /** In bytes. */
  readonly loaded: number
  /** In bytes; undefined if it is not known. */
  readonly total: number | undefined
}

/** The options of one request. */
export interface RequestOptions {
  /** Aborts the request, and its retries. */
  readonly signal?: AbortSignal
  /** The time limit in milliseconds, with all retries. Default: the client's. */
  readonly timeout?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The query of a request that has a body, and of a DELETE. */
  readonly query?: object
  /** The same request with the same key takes effect once, so it is retried too. */
  readonly idempotencyKey?: string
  /** The object as it was read, or its ETag: the request is 412 if the object has changed since. */
  readonly ifMatch?: object | string
  /** An object that was read: the request returns the same object if it has not changed. With its ETag, it then returns undefined. */
  readonly ifNoneMatch?: object | string
  /** The field `Prefer`, such as `return=minimal`: the response then has no body. */
  readonly prefer?: string
  /** How often the request is repeated. Default: the client's. */
  readonly retries?: number
  /** Called while a body is sent or received. */
  readonly onProgress?: (progress: Progress) => void
}

/** A request that is about to be sent. Interceptors may change its URL and its header fields. */
export interface OutgoingRequest {
  readonly method: string
  url: URL
  readonly headers: Headers
  readonly body: string | FormData | undefined
  readonly signal: AbortSignal | undefined
}

/** Functions that run for each attempt to send a request. */
export interface Interceptors {
  readonly request?: (request: OutgoingRequest) => MaybePromise<void>
  /** May return another response. */
  readonly response?: (response: Response, request: OutgoingRequest) => MaybePromise<Response | undefined>
}

/** The function `fetch`, or one that replaces it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The options of a client. */
export interface ClientOptions {
  /** The URL of the API, such as `https://api.example.org/shop/`. In a browser, it may be a path. */
  readonly baseUrl: string
  /** The token of the caller, or a function that returns it before each attempt. */
  readonly token?: string | (() => MaybePromise<string | undefined>)
  /** The scheme of the token in the field `Authorization`. Default: `Token`. */
  readonly scheme?: string
  /**
   * True: the browser sends the cookies of a session, and the client sends the CSRF token, which it reads from the cookie
   * `csrftoken`. Where scripts cannot read that cookie, a function returns the token.
   */
  readonly session?: boolean | (() => string | undefined)
  /** Header fields of every request, or a function that returns them before each attempt. */
  readonly headers?: Readonly<Record<string, string>> | (() => MaybePromise<Readonly<Record<string, string>>>)
  /** Whether the URLs of the API end with a slash. Default: true. */
  readonly trailingSlash?: boolean
  /** How often a request is repeated if that is safe. Default: 2. */
  readonly retries?: number
  /** The longest wait before a retry, in milliseconds; if the server asks for more, the request fails. Default: 30,000. */
  readonly maxWait?: number
  /** The time limit of a request in milliseconds, with all retries; 0 for none. Default: 60,000, and none for files. */
  readonly timeout?: number
  readonly interceptors?: Interceptors
  readonly fetch?: Fetch
  /** The names of query parameters, if the API has other ones: `{ ordering: 'sort', omit: 'exclude' }`. */
  readonly parameters?: {
    readonly ordering?: string
    readonly fields?: string
    readonly omit?: string
    readonly expand?: string
  }
  /** The members of pages, if the API has other names for them: `{ results: 'articles', next: 'nextUrl' }`. */
  readonly pages?: { readonly results?: string; readonly next?: string }
}
