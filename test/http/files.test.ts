// Fields of files: uploads with the resource's own create and update, limits, and what stays in the store.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { file, folder, readOnly, resource, text } from 'resource-api'
import { ann, bob, createForm, declareDocuments, onEachDocuments, samples } from '../support/documents.ts'
import { fieldPart, filePart, multipartBody, multipartHeaders } from '../support/multipart.ts'

let afterSave = () => {}

onEachDocuments(
  path => ({ resources: [declareDocuments(path, { afterSave: () => afterSave() })], secret: 's'.repeat(32) }),
  documents => {
    const send = () => documents().api.as(ann)
    const create = async (fields: Parameters<typeof createForm>[0] = {}) =>
      (
        await send()
          .post('/documents/', createForm({ title: 'a', ...fields }))
          .expect(201)
      ).headers.get('location')!

    test('a form creates an object with its file, and the response shows its URL, name, type and size', async () => {
      const form = createForm({ report: [samples.pdf, 'Q1.pdf'], title: 'Report' })
      const { headers, json } = await send().post('/documents/', form).expect(201)
      const url = `${headers.get('location')}report/`
      assert.deepEqual(json(), {
        title: 'Report',
        report: { url, name: 'Q1.pdf', type: 'application/pdf', size: samples.pdf.length },
        photo: null,
        export: null,
      })
      const { bytes, ...response } = await send().get(url).expect(200)
      assert.deepEqual(Buffer.from(bytes), samples.pdf)
      assert.equal(response.headers.get('content-disposition'), 'attachment; filename="Q1.pdf"')
    })

    test('a new file replaces the old one, null removes it, and a destroy removes it', async () => {
      const before = (await documents().listFiles()).length
      const url = await create({ report: ['one', '1.txt'], photo: [samples.png, 'p.png'] })
      assert.equal((await documents().listFiles()).length, before + 2)
      await send()
        .patch(url, createForm({ report: ['two', '2.txt'] }))
        .expect(200)
      assert.equal((await documents().listFiles()).length, before + 2)
      assert.equal((await send().get(`${url}report/`).expect(200)).text, 'two')
      await send()
        .put(url, createForm({ title: 'b' }))
        .expect(200)
      assert.equal((await send().get(`${url}report/`).expect(200)).text, 'two')
      await send().patch(url, { report: null }).expect(200)
      assert.equal((await documents().listFiles()).length, before + 1)
      await send().get(`${url}report/`).expect(404)
      await send().delete(url).expect(204)
      assert.equal((await documents().listFiles()).length, before)
    })

    test('a wrong field, a wrong file and a failing hook leave no file behind', async () => {
      const before = await documents().listFiles()
      const errors = async (fields: Parameters<typeof createForm>[0]) =>
        (await send().post('/documents/', createForm(fields)).expect(400)).json()
      assert.deepEqual(await errors({ title: '', report: ['text', 'a.txt'] }), {
        title: ['This field may not be blank.'],
      })
      assert.deepEqual(
        await errors({ title: 'a', report: [samples.png, 'a.pdf', 'application/pdf'], photo: ['x', 'a.png'] }),
        {
          report: ['Files of the type image/png are not accepted. The types are application/pdf, text/*.'],
          photo: ['Upload a valid image. The file is not an image, or is damaged.'],
        },
      )
      assert.deepEqual(
        await errors({ title: 'a', report: ['a'.repeat(1_000_001), 'a.txt'], photo: [samples.png, 'a.png'] }),
        {
          report: ['The file is too large: at most 1000000 bytes.'],
        },
      )
      assert.deepEqual(await errors({ title: 'a', report: ['', 'a.txt'] }), {
        report: ['The submitted file is empty.'],
      })
      assert.deepEqual(await errors({ title: 'a', report: 'text' }), {
        report: [
          'Send the file to the URL of its own resource, in a body of the type multipart/form-data. In JSON, null removes it.',
        ],
      })
      const twice = createForm({ title: 'a', report: ['a', 'a.txt'] })
      twice.append('report', new Blob(['b']), 'b.txt')
      assert.deepEqual((await send().post('/documents/', twice).expect(400)).json(), { report: ['Send one file.'] })
      afterSave = () => {
        throw new Error('the hook fails')
      }
      await send()
        .post('/documents/', createForm({ title: 'a', report: ['a', 'a.txt'] }))
        .expect(500)
      afterSave = () => {}
      assert.deepEqual(await documents().listFiles(), before)
    })

    test('text is text to its end', async () => {
      const before = await documents().listFiles()
      const long = 'a\n'.repeat(100_000)
      for (const content of [
        `${long}\0`,
        `${long}\x1b[0m`,
        Buffer.concat([Buffer.from(long), Buffer.from([0xe2, 0x82])]),
      ])
        assert.deepEqual(
          (
            await send()
              .post('/documents/', createForm({ title: 'a', report: [content, 'a.txt', 'text/csv'] }))
              .expect(400)
          ).json(),
          {
            report: [
              'Files of the type application/octet-stream are not accepted. The types are application/pdf, text/*.',
            ],
          },
        )
      assert.deepEqual(await documents().listFiles(), before)
      const url = await create({ report: [`${long}ü`, 'a.csv', 'text/csv'], export: [`${long}\0`, 'a.txt'] })
      const shown = (await send().get(url).expect(200)).json() as Record<string, { type: string }>
      assert.deepEqual([shown.report!.type, shown.export!.type], ['text/csv', 'application/octet-stream'])
      await send().delete(url).expect(204)
    })

    test('a body that is too large is 413, and JSON other than null is refused', async () => {
      const form = createForm({ title: 'a', report: ['a'.repeat(45_000_000), 'a.txt'] })
      await send().post('/documents/', form).expect(413)
      assert.deepEqual(
        (
          await send()
            .post('/documents/', { title: 'a', report: { url: 'x' } })
            .expect(400)
        ).json(),
        {
          report: [
            'Send the file to the URL of its own resource, in a body of the type multipart/form-data. In JSON, null removes it.',
          ],
        },
      )
    })

    test('nothing is stored for a caller who may not write', async () => {
      const url = await create()
      const before = await documents().listFiles()
      const form = () => createForm({ report: ['a', 'a.txt'] })
      await documents().api.as(bob).patch(url, form()).expect(403)
      await documents().api.post('/documents/', form()).expect(403)
      await send().patch('/documents/999999/', form()).expect(404)
      assert.deepEqual(await documents().listFiles(), before)
    })

    test('a browser sends an empty part if no file was chosen', async () => {
      const url = await create({ report: ['a', 'a.txt'] })
      const body = multipartBody(fieldPart('title', 'b'), filePart('report', '', '', 'application/octet-stream'))
      const response = await send().put(url, body, { headers: multipartHeaders }).expect(200)
      assert.equal((response.json() as { report: { name: string } }).report.name, 'a.txt')
    })

    test('a body that ends early leaves no file behind', async () => {
      const before = await documents().listFiles()
      const body = multipartBody(fieldPart('title', 'b'), filePart('report', 'a.txt', 'a'.repeat(100_000)))
      await send().post('/documents/', body.subarray(0, 50_000), { headers: multipartHeaders }).expect(400)
      assert.deepEqual(await documents().listFiles(), before)
    })

    test('hostile names are data', async () => {
      for (const [name, disposition] of [
        ['../../etc/passwd', 'inline; filename="passwd"'],
        ['a"b;\\c.txt', 'inline; filename="c.txt"'],
        ['Überweisung.txt', `inline; filename="_berweisung.txt"; filename*=UTF-8''%C3%9Cberweisung.txt`],
      ] as const) {
        const url = await create({ report: ['a', name] })
        const { headers } = await send().get(`${url}report/`).expect(200)
        assert.equal(headers.get('content-disposition'), disposition)
      }
    })

    test('a name of any length and with control characters can be downloaded', async () => {
      const send = (name: string) =>
        documents()
          .api.as(ann)
          .post('/documents/', multipartBody(fieldPart('title', 'a'), filePart('report', name, 'x')), {
            headers: multipartHeaders,
          })
      for (const [sent, name] of [
        [`${'ü'.repeat(5000)}.txt`, `${'ü'.repeat(125)}.txt`],
        ['a\r\nX-Other: b\u202etxt.exe', 'aX-Other: btxt.exe'],
      ] as const) {
        const { report } = (await send(sent).expect(201)).json() as { report: { url: string; name: string } }
        assert.equal(report.name, name)
        assert.equal((await documents().api.as(ann).get(report.url).expect(200)).text, 'x')
      }
      assert.deepEqual((await send('\r\n').expect(400)).json(), { report: ['No filename could be determined.'] })
    })
  },
)

onEachDocuments(
  path => {
    const report = file({ store: folder(path), nullable: true, maxSize: 6_000_000 })
    const declare = (name: string, options: object) =>
      resource(name, { table: 'documents', fields: { title: text(), report }, ...options })
    return {
      resources: [
        declare('documents', { perAction: { update: { takes: ['title'] } } }),
        declare('shown', { fields: { title: text(), report: readOnly(report) } }),
      ],
    }
  },
  documents => {
    test('a file of a field that the request does not take is ignored, as other values are', async () => {
      const { api } = documents()
      const form = (name: string) => createForm({ title: name, report: ['a'.repeat(5_000_000), name] })
      const { headers, json } = await api.post('/documents/', form('a')).expect(201)
      const url = headers.get('location')!
      const { report } = json() as { report: object }
      const before = await documents().listFiles()
      assert.deepEqual((await api.put(url, form('b')).expect(200)).json(), { title: 'b', report })
      assert.deepEqual((await api.patch(url, form('c')).expect(200)).json(), { title: 'c', report })
      assert.deepEqual((await api.post('/shown/', form('d')).expect(201)).json(), { title: 'd', report: null })
      assert.deepEqual(await documents().listFiles(), before)
    })
  },
)
