import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import fc from 'fast-check'
import { JsonStream, JsonText, type ResponseBody } from '../response.ts'
import { jsonRenderer, parseIndent } from './json.ts'
import type { RenderContext } from './renderer.ts'

const render = async (content: ResponseBody, indent?: number): Promise<string> => {
  const parameters = new Map(indent === undefined ? [] : [['indent', String(indent)]])
  const body = await jsonRenderer.render(content, parameters, {} as RenderContext)
  return typeof body === 'string' ? body : readText(body as Readable)
}

test('SVC-6: JSON from the database is sent unchanged, or indented as JSON.stringify would', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.integer({ min: 1, max: 8 }), async (json, indent) => {
      assert.equal(await render(new JsonText(json)), json)
      assert.equal(await render(new JsonText(json), indent), JSON.stringify(JSON.parse(json), null, indent))
    }),
  )
})

test('SVC-6: indented numbers keep their digits', async () => {
  const text = '{"a":9007199254740993,"b":[1.0,1e2,-0,0.10],"c":123456789012345678901234567890}'
  assert.equal((await render(new JsonText(text), 1)).replace(/\s/g, ''), text)
})

test('SVC-6: a stream of portions is rendered as one array of their items', async () => {
  const portions = fc.array(fc.array(fc.json(), { maxLength: 4 }), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(portions, fc.integer({ min: 0, max: 8 }), async (texts, indent) => {
      const items = texts.flat().map(text => JSON.parse(text))
      const body = await render(new JsonStream(createStream(texts)), indent)
      assert.equal(body, indent === 0 ? `[${texts.flat().join(',')}]` : JSON.stringify(items, null, indent))
    }),
  )
})

async function* createStream(portions: readonly (readonly string[])[]) {
  yield* portions
}

test('SVC-6: for any text, the indent is between 0 and 8', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.integer().map(String)), text => {
      const indent = parseIndent(text)
      assert.ok(Number.isInteger(indent) && indent >= 0 && indent <= 8)
    }),
  )
  assert.deepEqual(['0', '3', '8', '9', '-1', '1.5', ''].map(parseIndent), [0, 3, 8, 8, 0, 0, 0])
})
