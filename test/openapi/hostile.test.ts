// A document with hostile names and descriptions is valid, and contains them unchanged.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validate } from '@hyperjump/json-schema/openapi-3-1'
import { parse } from 'yaml'
import { formatYaml } from '#openapi'
import { createHostileDocument, hostileDescription } from '../support/hostile-document.ts'

test('hostile names and descriptions', async () => {
  const document = await createHostileDocument()
  const json = JSON.parse(JSON.stringify(document))
  const { valid } = await validate('https://spec.openapis.org/oas/3.1/schema-base', json)
  assert.ok(valid)
  const { paths, info, components } = json as typeof document
  assert.equal(info.description, hostileDescription)
  assert.equal(paths['/hostile/']!.get!.description, hostileDescription)
  const { properties } = components.schemas.Default as { properties: Record<string, { description?: string }> }
  for (const name of ['__proto__', 'constructor', '$ref', 'then'])
    assert.equal(Object.getOwnPropertyDescriptor(properties, name)?.value.description, hostileDescription, name)
  assert.equal(parse(formatYaml(document)).info.description, hostileDescription)
  const ids = Object.values(paths).flatMap(item => Object.values(item).map(({ operationId }) => operationId))
  for (const id of ids) assert.doesNotMatch(id, /^(?:then|delete|import|default)$/)
})
