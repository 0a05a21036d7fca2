import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiResponse, digest, JsonText, tagOnly, UnreadJson } from '../../http/response.ts'
import { createTagCache } from './tag-cache.ts'

function createReader() {
  let [version, reads, text, size] = [1, 0, '{"n":1}', 0 as number | undefined]
  let duringRead = () => {}
  const cache = createTagCache({ version: () => version })
  const load = async () => {
    reads += 1
    duringRead()
    return { page: { status: 200, body: new JsonText(text), validators: tagOnly }, size }
  }
  return {
    async read(field: string | undefined, key = '/'): Promise<ApiResponse> {
      const headers = field === undefined ? {} : { 'if-none-match': field }
      return (await cache.find(headers, key, load)).page
    },
    commit(changed: string) {
      version += 1
      text = changed
    },
    /** Changes the text without a commit, which no database does: it shows that the tag is not computed. */
    change(changed: string) {
      text = changed
    },
    commitDuringRead(changed: string) {
      duringRead = () => this.commit(changed)
    },
    makeVolatile() {
      size = undefined
    },
    reads: () => reads,
  }
}

const tag = digest('{"n":1}')

test('a representation is read once until the next commit', async () => {
  const reader = createReader()
  await reader.read(`"${tag}"`)
  for (const field of [`"${tag}"`, `W/"${tag}", "other"`, `"${tag}~br"`])
    assert.ok((await reader.read(field)).body instanceof UnreadJson)
  assert.equal(reader.reads(), 1)
  reader.commit('{"n":2}')
  assert.deepEqual((await reader.read(`"${tag}"`)).body, new JsonText('{"n":2}'))
  assert.equal(reader.reads(), 2)
  reader.commit('{"n":2}')
  assert.ok((await reader.read(`"${digest('{"n":2}')}"`)).body instanceof JsonText)
})

test('a body that was left unread can be read', async () => {
  const reader = createReader()
  await reader.read(`"${tag}"`)
  const { body } = await reader.read(`"${tag}"`)
  const { length, read } = body as UnreadJson
  assert.deepEqual([length, (await read()).body], [7, new JsonText('{"n":1}')])
})

test('a request with another tag, without one, or for another representation is read', async () => {
  const reader = createReader()
  await reader.read(`"${tag}"`)
  for (const [field, key] of [['"other"'], ['*'], [undefined], [`"${tag}"`, '/other']] as const)
    assert.ok((await reader.read(field, key)).body instanceof JsonText)
  assert.equal(reader.reads(), 5)
})

test('a tag is adopted until the next commit, and not if one happens during the read', async () => {
  const reader = createReader()
  await reader.read(undefined)
  reader.change('{"n":2}')
  assert.equal(((await reader.read(undefined)).body as JsonText).findTag(), tag)
  reader.commitDuringRead('{"n":3}')
  assert.equal(((await reader.read(undefined)).body as JsonText).findTag(), digest('{"n":3}'))
})

test('a response that must not be cached is read each time', async () => {
  const reader = createReader()
  reader.makeVolatile()
  for (let count = 0; count < 2; count++) assert.ok((await reader.read(`"${tag}"`)).body instanceof JsonText)
  assert.equal(reader.reads(), 2)
})

test('without a version of the database, every request is read', async () => {
  const cache = createTagCache({})
  const load = () => ({ page: { status: 200, body: new JsonText('{"n":1}'), validators: tagOnly }, size: 0 })
  for (let count = 0; count < 2; count++)
    assert.ok((await cache.find({ 'if-none-match': `"${tag}"` }, '/', load)).page.body instanceof JsonText)
})
