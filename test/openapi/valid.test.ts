// The documents are valid by a validator that is not Ajv, and by Redocly's recommended rules.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { validate } from '@hyperjump/json-schema/openapi-3-1'
import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from '@redocly/openapi-core'
import { readDocuments } from '../support/example-documents.ts'

const documents = await readDocuments()

suite('valid by the JSON Schema of OpenAPI 3.1 and of the schemas in it', () => {
  const schema = 'https://spec.openapis.org/oas/3.1/schema-base'

  for (const [name, document] of Object.entries(documents))
    test(name, async () => {
      const output = await validate(schema, JSON.parse(JSON.stringify(document)), 'BASIC')
      assert.ok(output.valid, JSON.stringify(output).slice(0, 3000))
    })

  test('a wrong document is not', async () => {
    const { valid } = await validate(schema, { ...JSON.parse(JSON.stringify(documents.conduit)), info: {} }, 'BASIC')
    assert.equal(valid, false)
  })
})

suite("no warning by Redocly's recommended rules", () => {
  for (const [name, document] of Object.entries(documents))
    test(name, async () => {
      // As in Django, the URLs of a service end with a slash.
      const rules = name === 'conduit' ? {} : { 'no-path-trailing-slash': 'off' as const }
      const config = await createConfig({ extends: ['recommended'], rules })
      const parsed = makeDocumentFromString(JSON.stringify(document), `${name}.json`)
      const problems = await lintDocument({
        document: parsed,
        externalRefResolver: new BaseResolver(),
        config: config.styleguide,
      })
      assert.deepEqual(
        problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
        [],
      )
    })
})

for (const [name, document] of Object.entries(documents))
  test(`every operation of ${name} says with which status it succeeds`, () => {
    for (const item of Object.values(document.paths))
      for (const { operationId, responses } of Object.values(item)) assert.ok(!('2XX' in responses), operationId)
  })
