// The body of a request, by the type of its value.

/** The bytes to send, and their type; no type for text and bytes that the test wrote itself. */
export interface EncodedBody {
  readonly body: string | Uint8Array | undefined
  readonly contentType: string | undefined
}

/**
 * Encodes URLSearchParams as a form, FormData as multipart, and any other value as JSON. A string or Uint8Array is sent
 * as it is; undefined is no body.
 */
export async function encodeBody(value: unknown): Promise<EncodedBody> {
  if (value === undefined) return { body: undefined, contentType: undefined }
  if (typeof value === 'string' || value instanceof Uint8Array) return { body: value, contentType: undefined }
  if (value instanceof URLSearchParams)
    return { body: value.toString(), contentType: 'application/x-www-form-urlencoded' }
  if (value instanceof FormData) return encodeMultipart(value)
  return { body: encodeJson(value), contentType: 'application/json' }
}

async function encodeMultipart(form: FormData): Promise<EncodedBody> {
  const encoded = new Response(form)
  return { body: await encoded.bytes(), contentType: encoded.headers.get('content-type') ?? undefined }
}

function encodeJson(value: unknown): string {
  const text = JSON.stringify(value)
  if (text !== undefined) return text
  throw new TypeError(`the request body is a ${typeof value}, which JSON cannot express: pass an object or a list`)
}
