import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { createCsrf } from './csrf.ts'

const csrf = createCsrf({ secret: 's'.repeat(40) })
const baseUrl = 'http://localhost'

const request = (cookie: string) => ({ headers: { cookie } }) as FastifyRequest
/** Issues a token to a request with these cookies; returns it and whether a cookie is to be set. */
function issue(cookie: string, issuer = csrf) {
  const { token, setCookie } = issuer.issue(request(cookie), baseUrl)
  if (setCookie !== undefined) assert.ok(setCookie.startsWith(`csrftoken=${token}; `), setCookie)
  return { token, isNew: setCookie !== undefined }
}

test('AUTH-SCH-4, AUTH-GAP-b1: a page has the token that its request brought, while that is good for the session', () => {
  const { token, isNew } = issue('')
  assert.equal(isNew, true)
  assert.deepEqual(issue(`csrftoken=${token}`), { token, isNew: false })
  assert.equal(issue(`csrftoken=${token}; sessionid=a`).isNew, true)
  const ofSession = issue('sessionid=a').token
  assert.deepEqual(issue(`csrftoken=${ofSession}; sessionid=a`), { token: ofSession, isNew: false })
  for (const cookie of [`csrftoken=${ofSession}; sessionid=b`, `csrftoken=${ofSession}`, 'csrftoken=x; sessionid=a'])
    assert.equal(issue(cookie).isNew, true, cookie)
})

test('AUTH-SCH-4: a token is good for one session under one secret', () => {
  const other = createCsrf({ secret: 't'.repeat(40) })
  const isGood = (token: string, session: string, judge = csrf) => {
    const headers = { cookie: `csrftoken=${token}; sessionid=${session}`, 'x-csrftoken': token }
    try {
      return judge.check({ headers } as unknown as FastifyRequest, baseUrl) === undefined
    } catch {
      return false
    }
  }
  const { token } = issue('sessionid=a')
  assert.deepEqual([isGood(token, 'a'), isGood(token, 'b'), isGood(token, '')], [true, false, false])
  assert.deepEqual([isGood(token, 'a', other), isGood(issue('sessionid=a', other).token, 'a', other)], [false, true])
  for (let index = 0; index < token.length; index++) {
    const changed = `${token.slice(0, index)}${token[index] === 'A' ? 'B' : 'A'}${token.slice(index + 1)}`
    // The last character of base64url has bits that mean nothing; the text still has to be the same.
    assert.equal(isGood(changed, 'a'), false, String(index))
  }
})
