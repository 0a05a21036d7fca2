// Files on the browsable pages: inputs, the current file, and lists.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browsable, jsonRenderer } from 'resource-api'
import { ann, createForm, declareDocuments, onEachDocuments, samples } from '../support/documents.ts'

onEachDocuments(
  path => ({
    resources: [declareDocuments(path)],
    renderers: [jsonRenderer, browsable()],
    secret: 's'.repeat(32),
  }),
  documents => {
    const accept = { headers: { accept: 'text/html' } }
    const client = () => documents().api.as(ann)
    const getPage = async (url: string) => (await client().get(url, accept).expect(200)).text

    test('forms have an input for a file, and an image of its types', async () => {
      const page = await getPage('/documents/?new')
      assert.match(page, /<form method="post" [^>]*enctype="multipart\/form-data"/)
      assert.match(page, /<input type="file" accept="application\/pdf,text\/\*" id="post-report" name="report"/)
      assert.match(page, /accept="image\/gif,image\/jpeg,image\/png,image\/webp" id="post-photo"/)
    })

    test('a page shows the current file with a link, and can remove it', async () => {
      const form = createForm({ title: 'a', report: ['x', '<b>.txt'], photo: [samples.png, 'p.png'] })
      const url = (await client().post('/documents/', form).expect(201)).headers.get('location')!
      const page = await getPage(url)
      const link = new RegExp(`<a href="${url}report/">&#60;b&#62;.txt</a> \\(text/plain, 1 bytes\\)`)
      assert.match(page, link)
      assert.match(page, new RegExp(`<img class="preview" src="${url}photo/" alt="">`))
      assert.match(page, /<input type="checkbox" name="report" value=""> Remove the file/)
      assert.match(await getPage('/documents/'), new RegExp(`<td><a href="${url}report/">&#60;b&#62;.txt</a></td>`))
      await client()
        .patch(url, createForm({ report: '' }))
        .expect(200)
      assert.doesNotMatch(await getPage(url), link)
    })

    test('a rejected form shows its texts and errors', async () => {
      const form = createForm({ photo: ['x', 'a.png'], title: 'a'.repeat(41) })
      const { text } = await client().post('/documents/', form, accept).expect(400)
      assert.match(text, new RegExp(`value="${'a'.repeat(41)}"`))
      assert.match(text, /Upload a valid image/)
    })

    test('an error of a file is a page for browsers', async () => {
      assert.match((await client().get('/documents/99999/report/', accept).expect(404)).text, /<h1 /)
    })

    test('OPTIONS describes files', async () => {
      const { actions } = (await client().options('/documents/').expect(200)).json() as never as {
        actions: { POST: Record<string, object> }
      }
      assert.deepEqual(actions.POST.photo, {
        type: 'image upload',
        required: false,
        read_only: false,
        label: 'Photo',
        max_size: 16 * 1024 * 1024,
        max_width: 100,
        max_height: 100,
        content_types: ['image/gif', 'image/jpeg', 'image/png', 'image/webp'],
      })
    })
  },
)
