import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bundledLanguagesInfo } from 'shiki/langs'
import { languages } from './languages.ts'
import { pygmentsLanguages } from './pygments-languages.ts'

const shikiNames = new Map(
  bundledLanguagesInfo.flatMap(({ id, aliases = [] }) => [id, ...aliases].map(name => [name, id])),
)

test('RES-SNIP-r6: the names of Shiki and of Pygments are valid', () => {
  const names = ['python', 'py3', 'c++', 'objc++', 'html+django', 'postgresql', 'txt', 'output']
  assert.deepEqual(
    names.map(name => languages.get(name)),
    ['python', 'python', 'cpp', 'objective-cpp', 'jinja', 'sql', 'text', 'text'],
  )
})

test("RES-SNIP-r6: if Shiki and Pygments use a name differently, Shiki's meaning applies", () => {
  for (const [name, id] of shikiNames) assert.equal(languages.get(name), id, name)
})

test('RES-SNIP-r6: every Pygments name maps to exactly one Shiki language', () => {
  const names = Object.values(pygmentsLanguages).flatMap(list => list.split(' '))
  assert.equal(new Set(names).size, names.length)
  assert.deepEqual(
    names.filter(name => shikiNames.has(name)),
    [],
  )
  const ids = new Set([...bundledLanguagesInfo.map(({ id }) => id), 'text'])
  assert.deepEqual(
    Object.keys(pygmentsLanguages).filter(id => !ids.has(id)),
    [],
  )
})

test('RES-SNIP-r6: names of Object.prototype are not languages', () => {
  for (const name of ['__proto__', 'constructor', 'toString', '', 'zz', 'Python']) {
    assert.equal(languages.has(name), false, name)
  }
})
