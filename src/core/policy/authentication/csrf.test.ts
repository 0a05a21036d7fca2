import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { createCsrf } from './csrf.ts'

const csrf = createCsrf({ secret: 's'.repeat(40) })
const baseUrl = 'http://localhost'

const request = (cookie: string) => ({ headers: { cookie } }) as FastifyRequest
/** Issues a token to a request with these cookies; returns it and whether the response must set a cookie. */
function issue(cookie: string, issuer = csrf) {
  const { token, setCookie } = issuer.issue(request(cookie), baseUrl)
  if (setCookie !== undefined) assert.ok(setCookie.startsWith(`csrftoken=${token}; `), setCookie)
  return { token, isNew: setCookie !== undefined }
}

test('AUTH-SCH-4, AUTH-GAP-b1: a page reuses the token of its request while it is valid for the session', () => {
  const { token, isNew } = issue('')
  assert.equal(isNew, true)
  assert.deepEqual(issue(`csrftoken=${token}`), { token, isNew: false })
  assert.equal(issue(`csrftoken=${token}; sessionid=a`).isNew, true)
  const sessionToken = issue('sessionid=a').token
  assert.deepEqual(issue(`csrftoken=${sessionToken}; sessionid=a`), { token: sessionToken, isNew: false })
  for (const cookie of [
    `csrftoken=${sessionToken}; sessionid=b`,
    `csrftoken=${sessionToken}`,
    'csrftoken=x; sessionid=a',
  ])
    assert.equal(issue(cookie).isNew, true, cookie)
})

test('AUTH-SCH-4: a token is valid for one session and one secret', () => {
  const other = createCsrf({ secret: 't'.repeat(40) })
  const isValid = (token: string, session: string, checker = csrf) => {
    const headers = { cookie: `csrftoken=${token}; sessionid=${session}`, 'x-csrftoken': token }
    try {
      return checker.check({ headers } as unknown as FastifyRequest, baseUrl) === undefined
    } catch {
      return false
    }
  }
  const { token } = issue('sessionid=a')
  assert.deepEqual([isValid(token, 'a'), isValid(token, 'b'), isValid(token, '')], [true, false, false])
  assert.deepEqual([isValid(token, 'a', other), isValid(issue('sessionid=a', other).token, 'a', other)], [false, true])
  for (let index = 0; index < token.length; index++) {
    const changed = `${token.slice(0, index)}${token[index] === 'A' ? 'B' : 'A'}${token.slice(index + 1)}`
    // The last character of base64url has unused bits; the text must still match exactly.
    assert.equal(isValid(changed, 'a'), false, String(index))
  }
})
