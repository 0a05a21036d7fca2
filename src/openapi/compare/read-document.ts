import { isObject } from '#core'
import type { Members } from './document-node.ts'

/** Reads an OpenAPI document. `name` begins the message of the error for another text. */
export function parseDocument(text: string, name: string): Members {
  const document = parseText(text, name)
  const version = isObject(document) ? document.openapi : undefined
  if (!isObject(document) || typeof version !== 'string')
    throw new Error(`${name} is not an OpenAPI document: it has no member "openapi" with a version such as "3.1.1"`)
  if (!/^3\.\d/.test(version)) throw new Error(`${name} is a document of OpenAPI ${version}: only 3.x can be compared`)
  return document
}

function parseText(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${name} is not JSON: ${(error as Error).message}`)
  }
}
