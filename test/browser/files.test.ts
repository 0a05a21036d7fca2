// Files in the forms of the pages: chosen, shown, kept, replaced and removed.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { browsable, file, folder, image, jsonRenderer, resource, text } from 'resource-api'
import { type TestApi, testApi } from 'resource-api/testing'
import { inChromium } from '../support/chromium.ts'
import { documentMigrations, samples } from '../support/documents.ts'

inChromium(chromium => {
  let path: string
  let api: TestApi
  let origin: string

  before(async () => {
    path = await mkdtemp(join(tmpdir(), 'files-'))
    const store = folder(path)
    const fields = {
      title: text(),
      report: file({ store, types: ['text/plain'], nullable: true }),
      photo: image({ store, nullable: true }),
    }
    api = await testApi({
      resources: [resource('documents', { table: 'documents', fields })],
      renderers: [jsonRenderer, browsable()],
      migrations: documentMigrations,
    })
    origin = await api.app.listen({ port: 0, host: '127.0.0.1' })
  })
  after(async () => {
    await api?.close()
    await rm(path, { recursive: true })
  })

  test('a person uploads files, keeps them in an edit, and removes one', async () => {
    const page = await chromium().open(`${origin}/documents/?new`)
    await page.getByLabel('Title').fill('Report')
    await page.getByLabel('Report').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: samples.png })
    await page.getByRole('button', { name: 'Create', exact: true }).first().click()
    await page.locator('.edit').getByText('Files of the type image/png are not accepted.').waitFor()
    await page.getByLabel('Report').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') })
    await page.getByLabel('Photo').setInputFiles({ name: 'p.png', mimeType: 'image/png', buffer: samples.png })
    await page.getByRole('button', { name: 'Create', exact: true }).first().click()
    await page.waitForURL(/documents\/\d+\/$/)
    await page.locator('form[data-method="PATCH"]').getByRole('link', { name: 'a.txt' }).waitFor()
    assert.equal(
      await page.locator('.preview').evaluate((element: { naturalWidth?: number }) => element.naturalWidth),
      1,
    )

    await page.getByLabel('Title').fill('Edited')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Saved/).waitFor()
    await page.locator('[data-field="report"]').getByRole('link', { name: 'a.txt' }).waitFor()

    await page.locator('[data-field="report"]').getByLabel('Remove the file').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('"report": null').or(page.locator('[data-field="report"]:not(:has(a))')).first().waitFor()
    const { report, photo, title } = (await api.get(new URL(page.url()).pathname)).json() as Record<string, unknown>
    assert.deepEqual([report, title, (photo as { name: string }).name], [null, 'Edited', 'p.png'])
  })

  test('the request of the console sends a chosen file as a form, in each language', async () => {
    const page = await chromium().open(`${origin}/documents/?new`)
    // Only what is shown.
    const readCode = () =>
      page
        .locator('[data-console="POST"] .example code')
        .evaluateAll((codes: { innerText: string }[]) => codes.map(({ innerText }) => innerText))
    const type = page.locator('[data-editor="POST"] select')
    await page.getByLabel('Title').fill("Ann's")
    assert.match((await readCode())[0]!, /-d '\{\n {2}"title": "Ann'\\''s"\n\}'/)
    assert.equal(await type.inputValue(), 'application/json')
    await page
      .getByLabel('Report')
      .setInputFiles({ name: 'a b.txt', mimeType: 'text/plain', buffer: Buffer.from('ab') })
    const [curl] = await readCode()
    assert.match(curl!, /-F 'report=@a b\.txt'/)
    assert.doesNotMatch(curl!, /Content-Type: application\/json/)
    const parts = await page.locator('[data-console="POST"] [data-form]').allTextContents()
    assert.match(parts[0]!, /-F 'title=Ann'\\''s' \\\n {2}-F 'report=@a b\.txt' \\\n {2}'http/)
    assert.match(parts[1]!, /client\.documents\.create\(\{\n {2}'title': "Ann's",\n {2}'report': file,\n\}\)/)
    assert.equal(await type.inputValue(), 'multipart/form-data')
    await page.locator('[data-editor="POST"]').getByRole('button', { name: 'Send' }).click()
    await page.locator('[data-console="POST"] .result').getByText('201 Created').waitFor()
    const list = (await api.get('/documents/')).json() as readonly { title: string; report: { name: string } }[]
    const { title, report } = list.at(-1)!
    assert.deepEqual([title, report.name], ["Ann's", 'a b.txt'])
  })
})
