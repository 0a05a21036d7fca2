// Checks OpenAPI documents with a validator of another project, and with the rules that it does not know.

import assert from 'node:assert/strict'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { OpenApiDocument } from 'resource-api'

type Operation = OpenApiDocument['paths'][string][string]

/** The operations of a document, by their names. */
export const listOperations = (document: OpenApiDocument): Readonly<Record<string, Operation>> =>
  Object.fromEntries(
    Object.values(document.paths)
      .flatMap(item => Object.values(item))
      .map(operation => [operation.operationId, operation]),
  )

/** Throws unless the document is valid, each name of an operation is unique, and each tag and parameter is described. */
export async function checkDocument(document: OpenApiDocument): Promise<void> {
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  )
  assert.ok(valid, JSON.stringify(errors))
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).map(operation => [path, operation] as const),
  )
  assert.equal(Object.keys(listOperations(document)).length, operations.length)
  const tags = new Set(document.tags.map(({ name }) => name))
  for (const [path, { operationId, parameters = [], tags: own, description, security = [] }] of operations) {
    assert.match(operationId, /^[A-Za-z_]\w*$/)
    assert.notEqual(description, '')
    for (const tag of own) assert.ok(tags.has(tag), tag)
    const inPath = parameters.filter(parameter => parameter.in === 'path').map(({ name }) => name)
    assert.deepEqual(
      inPath,
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      path,
    )
    const names = parameters.map(parameter => `${parameter.in} ${parameter.name}`)
    assert.equal(new Set(names).size, names.length, path)
    for (const requirement of security)
      for (const name of Object.keys(requirement)) assert.ok(document.components.securitySchemes[name], name)
  }
}
