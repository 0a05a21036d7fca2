import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ValidationError } from 'resource-api'
import { createPasswordRules, type PasswordOwner, type PasswordRulesOptions } from './password-rules.ts'

/** The codes of the errors of a password; none if it is accepted. */
async function listCodes(
  password: string,
  owner: PasswordOwner = {},
  options?: PasswordRulesOptions,
): Promise<readonly string[]> {
  try {
    await createPasswordRules(options).check(password, owner)
    return []
  } catch (error) {
    assert.ok(error instanceof ValidationError)
    const { password: details, ...others } = error.fullDetails as Record<string, readonly { readonly code: string }[]>
    assert.deepEqual(others, {})
    return details!.map(({ code }) => code)
  }
}

test('a password has a minimum number of characters, which is 8 unless set', async () => {
  assert.deepEqual(await listCodes('zq4!vmä'), ['password_too_short'])
  assert.deepEqual(await listCodes('zq4!vmäx'), [])
  assert.deepEqual(await listCodes('😀'.repeat(7)), ['password_too_short'])
  assert.deepEqual(await listCodes('zq4!vmäx', {}, { minLength: 9 }), ['password_too_short'])
})

test('common passwords are refused, whatever the case of their letters', async () => {
  for (const password of ['password1', 'PassWord1', ' trustno1', 'baseball'])
    assert.deepEqual(await listCodes(password), ['password_too_common'], password)
})

test('a password of digits only is refused', async () => {
  assert.deepEqual(await listCodes('8305619274058'), ['password_entirely_numeric'])
  assert.deepEqual(await listCodes('٨٣٠٥٦١٩٢٧٤٠٥٨'), ['password_entirely_numeric'])
  assert.deepEqual(await listCodes('8305619274058x'), [])
})

test('a password like the username or the email address is refused, also in parts', async () => {
  const owner = { username: 'margarethe', email: 'grete.hoffmann@example.org' }
  for (const password of ['margarethe', 'Margarethe1', 'ehteragram', 'hoffmann42', 'grete.hoffmann@example.org'])
    assert.deepEqual(await listCodes(password, owner), ['password_too_similar'], password)
  for (const password of ['margarethe likes her tea cold', 'a river of blue glass'])
    assert.deepEqual(await listCodes(password, owner), [], password)
  assert.deepEqual(await listCodes('abacus of the whole orchestra', { username: 'abc' }), [])
})

test('all errors are reported together', async () => {
  assert.deepEqual(await listCodes('1234', { username: '1234' }), [
    'password_too_short',
    'password_too_similar',
    'password_too_common',
    'password_entirely_numeric',
  ])
})
