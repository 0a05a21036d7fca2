// Compression of responses: negotiated, above a size, and never where a browser sends the credentials by itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { browsable, integer, jsonRenderer, key, resource, text } from 'resource-api'
import { onEitherDatabase, userScheme } from '../support/own-api.ts'

const books = resource('books', {
  table: 'books',
  actions: ['list', 'retrieve', 'update'],
  fields: { id: key(), title: text(), pages: integer() },
})

const decompressors = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync } as const

onEitherDatabase(
  () => ({ authentication: [userScheme], resources: [books], compression: true }),
  api => {
    const insert = async (title: string) => {
      const row = { title, subtitle: '', pages: 9, in_print: true, genre: '', contact: '' }
      return `/books/${(await api().insert('books', [row]))[0]}/`
    }
    const read = async (url: string, headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') => {
      const response = await api().app.inject({ method, url, headers: { host: 'localhost', ...headers } })
      return { ...response, coding: response.headers['content-encoding'], bytes: response.rawPayload }
    }

    test('the coding is negotiated, and the body is the same', async () => {
      const url = await insert('ä'.repeat(3000))
      const plain = await read(url, {})
      assert.equal(plain.coding, undefined)
      for (const [accepted, expected] of [
        ['gzip', 'gzip'],
        ['gzip, deflate, br, zstd', 'br'],
        ['br;q=0.5, gzip;q=0.8', 'gzip'],
        ['zstd, br;q=0', 'zstd'],
        ['*', 'br'],
        ['*;q=0, gzip', 'gzip'],
      ] as const) {
        const response = await read(url, { 'accept-encoding': accepted })
        assert.equal(response.coding, expected, accepted)
        assert.deepEqual(decompressors[expected](response.bytes), plain.bytes)
        assert.equal(Number(response.headers['content-length']), response.bytes.length)
        assert.match(String(response.headers.vary), /Accept-Encoding, Cookie/)
      }
      for (const accepted of ['', 'identity', 'identity, gzip;q=0.5', 'deflate', 'gzip;q=0', 'gzip;q=2', 'br;x=1'])
        assert.equal((await read(url, { 'accept-encoding': accepted })).coding, undefined, accepted)
    })

    test('short responses and errors are not compressed', async () => {
      for (const url of [await insert('short'), '/books/99999/'])
        assert.equal((await read(url, { 'accept-encoding': 'gzip' })).coding, undefined)
    })

    test('a response to a request whose credentials a browser sends by itself is not compressed', async () => {
      const url = await insert('x'.repeat(3000))
      for (const [headers, expected] of [
        [{}, 'gzip'],
        [{ cookie: 'sessionid=1' }, undefined],
        [{ 'x-user': 'ann' }, undefined],
        [{ 'x-user': 'ann', authorization: 'Bearer abc' }, 'gzip'],
        [{ 'x-user': 'ann', authorization: 'Token abc' }, 'gzip'],
        [{ 'x-user': 'ann', authorization: 'Basic YTpi' }, undefined],
        [{ 'x-user': 'ann', authorization: 'Bearer abc', cookie: 'a=b' }, undefined],
        // The browser says that no other site has caused the request.
        [{ cookie: 'sessionid=1', 'sec-fetch-site': 'same-origin' }, 'gzip'],
        [{ cookie: 'sessionid=1', 'sec-fetch-site': 'none' }, 'gzip'],
        [{ cookie: 'sessionid=1', 'sec-fetch-site': 'same-site' }, undefined],
        [{ cookie: 'sessionid=1', 'sec-fetch-site': 'cross-site' }, undefined],
      ] as const) {
        const response = await read(url, { 'accept-encoding': 'gzip', ...headers })
        assert.equal(response.coding, expected, JSON.stringify(headers))
      }
    })

    test('each coding has its own tag; If-None-Match and If-Match accept it', async () => {
      const url = await insert('y'.repeat(3000))
      const tagOf = async (headers: Record<string, string>) => String((await read(url, headers)).headers.etag)
      const [plain, gzip, br] = [
        await tagOf({}),
        await tagOf({ 'accept-encoding': 'gzip' }),
        await tagOf({ 'accept-encoding': 'br' }),
      ]
      assert.equal(new Set([plain, gzip, br]).size, 3)
      const again = await read(url, { 'accept-encoding': 'gzip', 'if-none-match': gzip })
      assert.deepEqual([again.statusCode, again.headers.etag, again.coding], [304, gzip, undefined])
      assert.equal((await read(url, { 'if-none-match': gzip })).statusCode, 200)
      assert.equal((await read(url, { 'accept-encoding': 'gzip' }, 'HEAD')).coding, 'gzip')
      const patch = (tag: string) => api().client.patch(url, { json: { pages: 1 }, headers: { 'if-match': tag } })
      assert.equal((await patch(gzip)).status, 200)
      assert.equal((await patch(br)).status, 412)
    })
  },
)

onEitherDatabase(
  () => ({ authentication: [userScheme], resources: [books], renderers: [jsonRenderer, browsable()] }),
  api => {
    const read = async (url: string, headers: Record<string, string>) => {
      const { rawPayload, headers: fields } = await api().app.inject({
        url,
        headers: { host: 'localhost', 'accept-encoding': 'br, gzip', ...headers },
      })
      return { bytes: rawPayload, coding: fields['content-encoding'], fields }
    }

    test('pages are compressed without an option, for requests that no other site has caused; JSON is not', async () => {
      const page = { accept: 'text/html', cookie: 'sessionid=1' }
      const plain = await read('/books/', page)
      assert.equal(plain.coding, undefined)
      const packed = await read('/books/', { ...page, 'sec-fetch-site': 'same-origin' })
      assert.equal(packed.coding, 'br')
      assert.deepEqual(brotliDecompressSync(packed.bytes), plain.bytes)
      assert.equal(Number(packed.fields['content-length']), packed.bytes.length)
      assert.equal(packed.fields['cache-control'], 'no-store')
      for (const site of ['same-site', 'cross-site'])
        assert.equal((await read('/books/', { ...page, 'sec-fetch-site': site })).coding, undefined)
      assert.equal((await read('/books/', { cookie: 'sessionid=1', 'sec-fetch-site': 'none' })).coding, undefined)
    })

    test('the files of pages are compressed once for each coding, and cached for ever', async () => {
      const page = await read('/books/', { accept: 'text/html', 'accept-encoding': 'identity' })
      const urls = [...String(page.bytes).matchAll(/(?:href|src)="([^"]*\/-\/[^"]*)"/g)].map(([, url]) => url!)
      assert.ok(urls.length >= 4, urls.join())
      for (const url of urls) {
        const plain = await read(url, { 'accept-encoding': 'identity' })
        assert.equal(plain.coding, undefined)
        for (const [coding, decompress] of Object.entries(decompressors)) {
          const packed = await read(url, { 'accept-encoding': coding })
          assert.deepEqual([packed.coding, packed.fields.vary], [coding, 'Accept-Encoding'])
          assert.match(String(packed.fields['cache-control']), /immutable/)
          assert.deepEqual(decompress(packed.bytes), plain.bytes)
          assert.ok(packed.bytes.length < plain.bytes.length)
        }
      }
    })
  },
)
