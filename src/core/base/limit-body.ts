/**
 * The same response, whose body fails after `maxBytes`, and is not read further then. Servers of others may send bodies that do not end;
 * compressed bodies are counted as they are read.
 */
export function limitBody(response: Response, maxBytes: number): Response {
  if (response.body === null) return response
  let size = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength
      if (size <= maxBytes) controller.enqueue(chunk)
      else controller.error(new Error(`The response is larger than ${maxBytes} bytes`))
    },
  })
  return new Response(response.body.pipeThrough(counter), response)
}
