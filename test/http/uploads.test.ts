// Multipart uploads, parsed part by part as they arrive: accepted and refused bodies.

import assert from 'node:assert/strict'
import { type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, before, suite, test } from 'node:test'
import fc from 'fast-check'
import type { Handler } from '#core'
import { anyCharacter } from '../support/any-text.ts'
import { boundary, fieldPart, filePart, multipartBody, multipartHeaders, rawPart } from '../support/multipart.ts'
import { startApi, type TestApi } from '../support/own-api.ts'
import { randomCases } from '../support/repetitions.ts'
import { postChunks, readParts, uploadViews } from '../support/uploads.ts'

/** A part in the responses of the handlers below; the bytes of a file are in base64. */
type Received = readonly [name: string, value: string] | readonly [name: string, filename: string, bytes: string]

const readAll: Handler = async context => {
  const content: Received[] = []
  for await (const part of readParts(context)) {
    if (part.kind === 'field') content.push([part.name, part.value])
    else content.push([part.name, part.filename, Buffer.concat(await part.stream.toArray()).toString('base64')])
  }
  return { status: 200, body: content }
}

/** Requests the next part before the slow readers of earlier parts end. */
const readLate: Handler = async context => {
  const content: Promise<Received>[] = []
  for await (const part of readParts(context)) {
    if (part.kind === 'field') content.push(Promise.resolve([part.name, part.value]))
    else content.push(readSlowly(part.stream).then(bytes => [part.name, part.filename, bytes.toString('base64')]))
  }
  return { status: 200, body: await Promise.all(content) }
}

async function readSlowly(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  const write = (chunk: Buffer, _: string, done: () => void) => {
    chunks.push(chunk)
    setImmediate(done)
  }
  await pipeline(stream, new Writable({ highWaterMark: 1, write }))
  return Buffer.concat(chunks)
}

/** Iterates over all parts, calls `treat` with each file stream, and returns the names of the parts. */
const readNames = (treat: (stream: Readable) => unknown): Handler => {
  return async context => {
    const content: string[] = []
    for await (const part of readParts(context)) {
      content.push(part.name)
      if (part.kind === 'file') await treat(part.stream)
    }
    return { status: 200, body: content }
  }
}

const readChunk = async (stream: Readable) => {
  for await (const _ of stream) break
}

const limits = { maxFileSize: 1000, maxFiles: 2, maxFields: 2, maxFieldSize: 100, limit: 4000 }

const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64')

for (const [name, start] of [
  ['in-process', {}],
  ['over a socket', { socket: true }],
] as const) {
  suite(`uploads ${name}`, () => {
    let api: TestApi
    let limited: TestApi
    before(async () => {
      const handlers = {
        all: readAll,
        late: readLate,
        ignore: readNames(() => undefined),
        resume: readNames(stream => stream.resume()),
        peek: readNames(readChunk),
        destroy: readNames(stream => stream.destroy(new Error('enough'))),
      }
      api = await startApi({ views: uploadViews(handlers) }, start)
      limited = await startApi({ views: uploadViews(handlers, limits) }, start)
    })
    after(() => Promise.all([api.stop(), limited.stop()]))

    const read = async (body: Buffer, url = '/all/', headers: Record<string, string> = multipartHeaders) => {
      const response = await api.client.post(url, { headers, body })
      return [response.status, response.json()]
    }
    const parseError = (reason: string) => [400, { detail: `Multipart form parse error - ${reason}` }]

    test('fields and files arrive in the order of the body, byte for byte', async () => {
      const picture = Buffer.from(Array.from({ length: 1024 * 1024 }, (_, index) => index))
      const almostBoundary = `\r\n--${boundary.slice(0, -1)}\r\n--\r\n`
      const body = multipartBody(
        fieldPart('title', ' Ünï\r\ncode '),
        filePart('picture', 'a "b".png', picture),
        fieldPart('title', ''),
        filePart('empty', '', ''),
        filePart('picture', 'c.txt', almostBoundary),
      )
      for (const url of ['/all/', '/late/'])
        assert.deepEqual(await read(body, url), [
          200,
          [
            ['title', ' Ünï\r\ncode '],
            ['picture', 'a "b".png', base64(picture)],
            ['title', ''],
            ['empty', '', ''],
            ['picture', 'c.txt', base64(almostBoundary)],
          ],
        ])
    })

    test('all parts arrive intact for any division of the body into chunks', async () => {
      const text = fc.string({ unit: anyCharacter }).filter(value => !value.includes('\0'))
      const label = text.filter(value => !/[\p{Cc}/\\]|%(?:22|0a|0d)/iu.test(value) && !/^\s|\s$|^\.\.?$/.test(value))
      const piece = fc.oneof(
        fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes)),
        fc
          .constantFrom('\r', '\n', '\r\n', '-', '--', `--${boundary}`, `\n--${boundary}--`, `\r\n--${boundary}`)
          .chain(tempting => fc.nat(tempting.length).map(length => Buffer.from(tempting.slice(0, length)))),
      )
      const content = fc
        .array(piece, { maxLength: 20 })
        .map(pieces => Buffer.concat(pieces))
        .filter(bytes => !bytes.includes(`\r\n--${boundary}`))
      const field = fc.tuple(label, text).map(([key, value]) => ({
        part: fieldPart(key, value),
        received: [key, value] as Received,
      }))
      const file = fc.tuple(label, label, content).map(([key, filename, bytes]) => ({
        part: filePart(key, filename, bytes),
        received: [key, filename, base64(bytes)] as Received,
      }))
      const parts = fc.array(fc.oneof(field, file), { maxLength: 6 })
      const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 })
      await fc.assert(
        fc.asyncProperty(parts, sizes, async (given, lengths) => {
          const chunks = splitBody(multipartBody(...given.map(({ part }) => part)), lengths)
          assert.deepEqual(await postChunks(api, '/all/', chunks), [200, given.map(({ received }) => received)])
        }),
        { numRuns: randomCases(100) },
      )
    })

    test('a body without parts, with a preamble and an epilogue, or without a final line break is accepted', async () => {
      const body = multipartBody(fieldPart('a', '1'))
      assert.deepEqual(await read(multipartBody()), [200, []])
      assert.deepEqual(await read(Buffer.concat([Buffer.from('pre\r\n'), body, Buffer.from('amble')])), [
        200,
        [['a', '1']],
      ])
      assert.deepEqual(await read(body.subarray(0, -2)), [200, [['a', '1']]])
    })

    test('a filename is the text after the last slash or backslash, and otherwise unchanged', async () => {
      for (const [filename, expected] of [
        ['../../etc/passwd', 'passwd'],
        ['C:\\Users\\ann\\a.txt', 'a.txt'],
        ['/a/b/', ''],
        ['..', ''],
        ['a/..', ''],
        ['.', ''],
        ['...', '...'],
        ['.env', '.env'],
        ['..%2f..%2fetc', '..%2f..%2fetc'],
        ['a;b="c".txt', 'a;b="c".txt'],
        ['a\r\nb', 'a\r\nb'],
        ['__proto__', '__proto__'],
        ['\u202etxt.exe', '\u202etxt.exe'],
        ['x'.repeat(5000), 'x'.repeat(5000)],
      ])
        assert.deepEqual(await read(multipartBody(filePart('f', filename!, ''))), [200, [['f', expected, '']]])
    })

    test('the header of a part is parsed as RFC 7578 defines it', async () => {
      for (const [head, received] of [
        ['content-disposition:form-data;name=a', ['a', 'v']],
        ['CONTENT-DISPOSITION: Form-Data ; Name="a" ; x=y', ['a', 'v']],
        ['Content-Disposition: form-data; name="a\\"', ['a\\', 'v']],
        ['Content-Disposition: form-data; name=""', ['', 'v']],
        ['Content-Disposition: form-data; name=a; filename=b', ['a', 'b', base64('v')]],
        [`Content-Disposition: form-data; name=a; filename=b; filename*=utf-8''c`, ['a', 'b', base64('v')]],
      ] as const)
        assert.deepEqual(await read(multipartBody(rawPart([head], 'v'))), [200, [received]])
    })

    test('ERR-EXC-r1: a malformed part is a parse error', async () => {
      const validHeader = 'Content-Disposition: form-data; name="a"'
      const malformed = 'the head of a part is malformed'
      for (const [head, reason] of [
        [['Content-Type: text/plain'], 'a part is not form-data'],
        [[], malformed],
        [['Content-Disposition: attachment; name="a"'], 'a part is not form-data'],
        [['Content-Disposition: form-data'], 'a part has no name'],
        [['Content-Disposition: form-data; filename="a"'], 'a part has no name'],
        [['Content-Disposition: form-data; name="a'], malformed],
        [['Content-Disposition: form-data; name="a"b'], malformed],
        [['Content-Disposition: form-data; name="a\\"b"'], malformed],
        [['Content-Disposition: form-data; name'], malformed],
        [['Content-Disposition: form-data, name="a"'], malformed],
        [['Content-Disposition: form-data; name="a"; NAME="b"'], 'a part repeats "name"'],
        [['Content-Disposition: form-data; name="a"; filename="b"; filename="c"'], 'a part repeats "filename"'],
        [[`Content-Disposition: form-data; name="a"; filename*=utf-8''b`], '"filename*" is not allowed'],
        [[validHeader, validHeader], 'a part repeats "content-disposition"'],
        [[validHeader, 'junk'], malformed],
        [[validHeader, ': junk'], malformed],
        [[validHeader, 'X : y'], malformed],
        [[validHeader, ' folded'], malformed],
        [['Content-Disposition: form-data; name="a\nb"'], malformed],
        [['Content-Disposition: form-data; name="a\rb"'], malformed],
        [['Content-Disposition: form-data; name="a\0b"'], malformed],
        [['Content-Disposition: form-data; name="a"; filename="b\0.png"'], malformed],
        [[Buffer.from([...Buffer.from(validHeader), 0xff])], 'the head of a part is not valid UTF-8'],
        [[`${validHeader}; filename="`, Buffer.from([0xed, 0xa0, 0x80])], 'the head of a part is not valid UTF-8'],
        [[validHeader, `X: ${'x'.repeat(20_000)}`], 'the head of a part is too long'],
        [[validHeader, 'Content-Type: text'], 'a part has a malformed media type'],
        [[validHeader, 'Content-Transfer-Encoding: base64'], 'a part has a transfer encoding'],
      ] as const)
        assert.deepEqual(await read(multipartBody(rawPart(head, 'v'))), parseError(reason), String(head))
      for (const [value, reason] of [
        [Buffer.from([0xff]), 'a field is not valid UTF-8'],
        [Buffer.from([0xed, 0xa0, 0x80]), 'a field is not valid UTF-8'],
        ['a\0b', 'a field has null characters'],
      ] as const)
        assert.deepEqual(await read(multipartBody(fieldPart('a', value))), parseError(reason))
    })

    test('ERR-EXC-r1: a body without its boundary, or with a malformed boundary, is a parse error', async () => {
      const body = multipartBody(fieldPart('a', '1'))
      const truncated = parseError('the body ends too early')
      assert.deepEqual(await read(Buffer.from('nothing')), truncated)
      assert.deepEqual(await read(body, '/all/', { 'content-type': 'multipart/form-data; boundary=other' }), truncated)
      const malformedBoundary = Buffer.from(`--${boundary}-\r\n\r\n`)
      assert.deepEqual(await read(malformedBoundary), parseError('a boundary is followed by more than a line break'))
      for (const parameters of [
        '',
        '; boundary=""',
        '; boundary=" "',
        '; boundary="é"',
        `; boundary=${'x'.repeat(71)}`,
      ])
        assert.deepEqual(
          await read(body, '/all/', { 'content-type': `multipart/form-data${parameters}` }),
          parseError('there is no boundary'),
        )
    })

    test('ERR-EXC-r1: a truncated body is a parse error, even if the handler reads no files', async () => {
      const body = multipartBody(fieldPart('a', '1'), filePart('f', 'b', 'content'), fieldPart('c', ''))
      const length = body.length - '--\r\n'.length
      for (const url of ['/all/', '/ignore/', '/resume/', '/peek/', '/destroy/'])
        for (let end = 1; end <= length; end += url === '/all/' ? 1 : 7)
          assert.deepEqual(
            await read(body.subarray(0, end), url),
            parseError('the body ends too early'),
            `${url} ${end}`,
          )
    })

    test('the unread rest of a file is skipped', async () => {
      const largeFile = Buffer.alloc(1024 * 1024, '\r\n--')
      const body = multipartBody(filePart('a', 'a', largeFile), fieldPart('b', '1'), filePart('c', 'c', largeFile))
      for (const url of ['/ignore/', '/resume/', '/peek/', '/destroy/'])
        assert.deepEqual(await read(body, url), [200, ['a', 'b', 'c']], url)
    })

    test('files, fields and bodies up to their limits are accepted, and larger ones are refused', async () => {
      const upload = async (url: string, ...parts: readonly Buffer[]) => {
        const body = multipartBody(...parts)
        const response = await limited.client.post(url, { headers: multipartHeaders, body })
        return [response.status, response.json().detail]
      }
      const file = (size: number) => filePart('f', 'f', 'x'.repeat(size))
      const field = (size: number) => fieldPart('a', 'x'.repeat(size))
      for (const url of ['/all/', '/ignore/', '/resume/', '/peek/', '/destroy/']) {
        assert.equal((await upload(url, file(1000), field(100), file(1000), field(100)))[0], 200)
        assert.deepEqual(await upload(url, file(1001)), [413, 'A file is larger than 1000 bytes.'])
        assert.deepEqual(await upload(url, field(101)), [413, 'A field is larger than 100 bytes.'])
        assert.deepEqual(
          (await upload(url, file(0), file(0), file(0)))[1],
          'Multipart form parse error - too many files',
        )
        assert.deepEqual(
          (await upload(url, field(0), field(0), field(0)))[1],
          'Multipart form parse error - too many fields',
        )
        assert.deepEqual(await upload(url, file(4000)), [413, 'Request body is too large.'])
      }
    })

    test('a body of unknown length is refused above the limit', async () => {
      const sendLimited = (chunks: readonly Buffer[]) => postChunks(limited, '/all/', chunks)
      const body = multipartBody(fieldPart('a', '1'))
      const epilogue = (length: number) => Buffer.alloc(length, 'x')
      assert.equal((await sendLimited([body]))[0], 200)
      const tooLarge = [413, { detail: 'Request body is too large.' }]
      assert.deepEqual(await sendLimited([epilogue(4001), body]), tooLarge)
      assert.deepEqual(await sendLimited(Array.from({ length: 100 }, () => epilogue(1000))), tooLarge)
    })
  })
}

function splitBody(body: Buffer, lengths: readonly number[]): readonly Buffer[] {
  const chunks: Buffer[] = []
  let start = 0
  while (start < body.length) {
    const end = start + lengths[chunks.length % lengths.length]!
    chunks.push(body.subarray(start, end))
    start = end
  }
  return chunks
}
