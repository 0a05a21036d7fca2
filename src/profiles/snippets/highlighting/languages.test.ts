import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bundledLanguagesInfo } from 'shiki/langs'
import { languages } from './languages.ts'
import { pygmentsLanguages } from './pygments-languages.ts'

const own = new Map(bundledLanguagesInfo.flatMap(({ id, aliases = [] }) => [id, ...aliases].map(name => [name, id])))

test('RES-SNIP-r6: a language has the names of Shiki and those of Pygments', () => {
  const named = ['python', 'py3', 'c++', 'objc++', 'html+django', 'postgresql', 'txt', 'output']
  assert.deepEqual(
    named.map(name => languages.get(name)),
    ['python', 'python', 'cpp', 'objective-cpp', 'jinja', 'sql', 'text', 'text'],
  )
})

test('RES-SNIP-r6: where Shiki and Pygments use a name differently, it means what Shiki means', () => {
  for (const [name, id] of own) assert.equal(languages.get(name), id, name)
})

test('RES-SNIP-r6: every name of Pygments leads to one language that Shiki has', () => {
  const names = Object.values(pygmentsLanguages).flatMap(list => list.split(' '))
  assert.equal(new Set(names).size, names.length)
  assert.deepEqual(
    names.filter(name => own.has(name)),
    [],
  )
  const ids = new Set([...bundledLanguagesInfo.map(({ id }) => id), 'text'])
  assert.deepEqual(
    Object.keys(pygmentsLanguages).filter(id => !ids.has(id)),
    [],
  )
})

test('RES-SNIP-r6: the names every object has are not languages', () => {
  for (const name of ['__proto__', 'constructor', 'toString', '', 'zz', 'Python']) {
    assert.equal(languages.has(name), false, name)
  }
})
