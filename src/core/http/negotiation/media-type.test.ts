import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMediaType } from './media-type.ts'

test('SVC-6: if a parameter is repeated, the first one counts, as in the parser of form data', async () => {
  const header = 'multipart/form-data; boundary=first; boundary=second'
  const body = '--first\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--first--\r\n'
  const form = await new Response(body, { headers: { 'content-type': header } }).formData()
  assert.equal(form.get('a'), '1')
  assert.equal(parseMediaType(header)?.parameters.get('boundary'), 'first')
})

test('SVC-6: a malformed parameter makes the whole media type malformed', () => {
  for (const parameter of ['q=', 'q="1', 'q', 'q=1 2', 'q=é', 'q="\u0007"', 'q="\u0100"', '=1', 'q="a"b'])
    assert.equal(parseMediaType(`text/html; ${parameter}; a=b`), undefined, parameter)
})
