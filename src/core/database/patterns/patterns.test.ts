// Regular expressions: which are refused, what the others find, and that both databases find the same.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { anyCharacter } from '../../../../test/support/any-text.ts'
import { randomCases } from '../../../../test/support/repetitions.ts'
import { createDatabase, type Storage } from '../../../../test/support/service.ts'
import { ValidationError } from '../../errors/exceptions.ts'
import type { Database } from '../database.ts'
import { openDatabase } from '../open.ts'
import { createMatchFunction } from '../sqlite/sqlite-patterns.ts'
import { createMatcher } from './create-matcher.ts'
import { formatPattern } from './format-pattern.ts'
import { parsePattern } from './parse-pattern.ts'

const mistake = (position: number, part: string) =>
  `The regular expression has a mistake at character ${position}: "${part}".`
const unsupported = (position: number, part: string) =>
  `The regular expression has "${part}" at character ${position}, which is not supported.`
const tooLarge =
  'The regular expression is too large: with all its repetitions, it may have 255 characters, and 6 of ^, $ and \\b.'

suite('a regular expression is refused', () => {
  for (const [pattern, message] of [
    ['(a', mistake(1, '(')],
    ['a)', mistake(2, ')')],
    ['a[b', mistake(2, '[')],
    ['[]', mistake(1, '[')],
    ['[\\', mistake(2, '\\')],
    ['a\\', mistake(2, '\\')],
    ['*', mistake(1, '*')],
    ['a|+', mistake(3, '+')],
    ['^*', mistake(2, '*')],
    ['a**', mistake(3, '*')],
    ['a++', mistake(3, '+')],
    ['a{2}{3}', mistake(5, '{')],
    ['a{3,1}', mistake(2, '{3,1}')],
    ['a{2', mistake(2, '{')],
    ['[z-a]', mistake(2, '-')],
    ['[a-\\d]', mistake(2, '-')],
    ['[a-c-e]', mistake(5, '-')],
    ['[a-', mistake(2, '-')],
    ['[[:vowel:]]', mistake(2, '[:')],
    ['a{,3}', unsupported(2, '{,')],
    ['(a)\\1', unsupported(4, '\\1')],
    ['\\pL', unsupported(1, '\\p')],
    ['\\x41', unsupported(1, '\\x')],
    ['[\\b]', unsupported(2, '\\b')],
    ['[[.a.]]', unsupported(2, '[.')],
    ['(?=a)', unsupported(1, '(?=')],
    ['(?!a)', unsupported(1, '(?!')],
    ['(?<=a)', unsupported(1, '(?<=')],
    ['(?P=a)', unsupported(1, '(?P=')],
    ['(?>a)', unsupported(1, '(?>')],
    ['a(?i)b', unsupported(2, '(?i')],
    ['a{256}', tooLarge],
    ['a{300,}', tooLarge],
    ['(){256}', tooLarge],
    ['(a{1,255}){1,255}', tooLarge],
    ['((a{99}){99}){99}', tooLarge],
    ['(\\b|a)+', 'The regular expression repeats ^, $ or \\b by "+" at character 7, which is not supported.'],
    ['^'.repeat(7), tooLarge],
  ] as const)
    test(pattern, () => {
      assert.throws(
        () => parsePattern(pattern, false),
        (error: ValidationError) => {
          assert.ok(error instanceof ValidationError)
          assert.deepEqual(
            JSON.parse(JSON.stringify(error.errors)).map((each: { message: string }) => each.message),
            [message],
          )
          return true
        },
      )
    })
})

suite('a regular expression finds', () => {
  for (const [pattern, found, missed] of [
    ['a', ['a', 'bab'], ['A', 'b', '']],
    ['^ab$', ['ab'], ['ab\n', 'cab']],
    ['\\Aab\\Z', ['ab'], ['abc']],
    ['a.c', ['abc', 'a\nc', 'a\u{1f600}c'], ['ac']],
    ['a|^$', ['a', ''], ['b']],
    ['(?:a|b){2,3}?$', ['ab', 'cba'], ['a', 'ca']],
    ['^(?P<one>a+)(?<two>b*)$', ['a', 'aab'], ['b', 'aba']],
    ['\\bcat\\b', ['a cat.', 'cat', 'écat'], ['cats', 'cat_']],
    ['a\\Bb', ['ab'], ['a b']],
    ['\\d\\D', ['1a', '1\u0661'], ['12', '\u0661a']],
    ['^\\w+$', ['a_1'], ['é', 'a-b']],
    ['\\s', ['a b', '\v', '\r'], ['\u00a0']],
    ['[]a]', [']', 'a'], ['b']],
    ['[^]a-]', ['b'], [']', 'a', '-']],
    ['[a-c-]', ['b', '-'], ['d']],
    ['[\\d.\\]]', ['5', '.', ']'], ['a']],
    ['[[:alpha:]_]', ['b', '_'], ['1', 'é']],
    ['[à-ü]', ['é'], ['e']],
    ['(?i)k', ['k', 'K'], ['\u212a']],
    ['(?is)[^s]', ['a'], ['s', 'S']],
    ['(?i)É', ['É'], ['é']],
    ['{a}{', ['{a}{'], ['a']],
    ['\\.\\*\\\\\\é', ['.*\\é'], ['ab']],
    ['[^\\s\\S]', [], ['a', '']],
    ['(^)?(a*)*b', ['ab', 'b'], ['a']],
    ['', ['', 'a'], []],
  ] as const)
    test(pattern, () => {
      const matches = createMatcher(parsePattern(pattern, false))
      assert.deepEqual([found.map(matches), missed.map(matches)], [found.map(() => true), missed.map(() => false)])
    })

  test('without going back', () => {
    const text = 'a'.repeat(10_000)
    for (const pattern of ['(a+)+$', '(a|a)*b', '(a*)*c', '([ab]*a[ab]{5}){9}c'])
      assert.equal(createMatcher(parsePattern(pattern, false))(`${text}x`), false)
  })

  test('in one statement of SQLite for a bounded time', async () => {
    let time = 0
    const matches = createMatchFunction(() => time)
    assert.deepEqual([matches('ab', 'b'), matches('a', 'b'), matches(null, 'b')], [1, 0, null])
    time = 2001
    assert.throws(() => matches('ab', 'b'), { status: 503 })
    await Promise.resolve()
    assert.equal(matches('ab', 'b'), 1)
  })
})

// The letters have cases that some locales know, or are parts of others.
const letters = ['a', 'b', 'k', 'K', 'Z', 'é', 'É', 'ß', 'ı', 'ſ', '\u212a', '0', '9', '_', '\u0661']
const others = [' ', '\t', '\n', '-', '.', '\u00a0', '\u{1f600}', '\uffff', '\ue000', '\u{10ffff}']
const oneCharacter = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...letters, ...others) },
  anyCharacter.filter(character => character !== '\0'),
)
const anyText = fc.string({ unit: oneCharacter, maxLength: 8 })

const quote = (character: string) => (/[A-Za-z0-9]/.test(character) ? character : `\\${character}`)
const literal = oneCharacter.map(quote)
const range = fc.tuple(oneCharacter, oneCharacter).map(pair =>
  pair
    .toSorted((one, other) => one.codePointAt(0)! - other.codePointAt(0)!)
    .map(quote)
    .join('-'),
)
const sets = ['\\d', '\\D', '\\w', '\\W', '\\s', '\\S'] as const
const member = fc.oneof(literal, range, fc.constantFrom(...sets, '[:alpha:]', '[:punct:]', '[:space:]'))
const brackets = fc
  .tuple(fc.constantFrom('', '^'), fc.array(member, { minLength: 1, maxLength: 4 }))
  .map(([negation, members]) => `[${negation}${members.join('')}]`)
const quantifier = fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{0}', '{2}', '{1,}', '{0,2}', '{2,3}?')
const { pattern: anyPattern } = fc.letrec<{ pattern: string; sequence: string; group: string; part: string }>(tie => ({
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map(parts => parts.join('|')),
  sequence: fc.array(tie('part'), { maxLength: 4 }).map(parts => parts.join('')),
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    literal,
    fc.constantFrom('.', ...sets),
    fc.constantFrom('^', '$', '\\b', '\\B', '\\A', '\\Z'),
    brackets,
    tie('group'),
  ),
  group: fc
    .tuple(fc.constantFrom('(', '(?:', '(?P<n>'), tie('pattern'), fc.oneof(fc.constant(''), quantifier))
    .map(([start, inner, end]) => `${start}${inner})${end}`),
}))
const quantified = fc
  .tuple(fc.oneof(literal, brackets), quantifier, anyPattern)
  .map(([part, end, rest]) => `${part}${end}${rest}`)
const anyCase = fc.tuple(fc.oneof(anyPattern, quantified), fc.boolean(), fc.array(anyText, { maxLength: 6 }))

/** The pattern in the syntax of JavaScript. */
const toJavaScript = (pattern: string): RegExp =>
  new RegExp(
    pattern.replace(/\\(.)/gs, (text, letter: string) =>
      letter.toLowerCase() === 'y' ? `\\${letter === 'y' ? 'b' : 'B'}` : text,
    ),
    'su',
  )

/** The pattern as databases get it; undefined if it is too large. */
function tryParse(text: string, ignoresCase: boolean) {
  try {
    return parsePattern(text, ignoresCase)
  } catch (error) {
    assert.match(JSON.stringify((error as ValidationError).errors), /too large|repeats/, text)
    return undefined
  }
}

suite('both databases find what the matcher finds', () => {
  let storage: Storage
  let databases: readonly Database[] = []
  before(async () => {
    storage = await createDatabase()
    databases = [openDatabase(storage.url), openDatabase('sqlite::memory:')]
  })
  after(async () => {
    for (const database of databases) await database.close()
    await storage.remove()
  })

  const findIn = async ({ dialect, kysely }: Database, texts: readonly string[], pattern: string) => {
    const value = dialect.plainText(sql.ref('items.value'))
    const list = sql<{
      found: unknown
    }>`select ${dialect.matchesPattern(sql`substr(${value}, 1, 10000)`, sql`${pattern}`)} as found from (${dialect.texts(sql`${JSON.stringify(texts)}`)}) as items`
    return (await list.execute(kysely)).rows.map(({ found }) => Boolean(found))
  }

  test('in any text', async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async ([text, ignoresCase, texts]) => {
        const parsed = tryParse(text, ignoresCase)
        if (parsed === undefined) return
        const pattern = formatPattern(parsed)
        assert.equal(formatPattern(parsePattern(pattern, false)), pattern)
        const expected = texts.map(createMatcher(parsed))
        const expression = toJavaScript(pattern)
        // JavaScript finds the end of a word between the halves of a character.
        const isSame = (each: string, index: number) =>
          /[^\0-\uffff]/u.test(each) || expression.test(each) === expected[index]
        assert.ok(texts.every(isSame), `JavaScript: ${pattern}`)
        for (const database of databases)
          assert.deepEqual(await findIn(database, texts, pattern), expected, `${database.dialect.name}: ${pattern}`)
      }),
      { numRuns: randomCases(4000) },
    )
  })
})
