import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bundledThemesInfo } from 'shiki/themes'
import { pygmentsStyles } from './pygments-styles.ts'
import { defaultTheme, styles } from './styles.ts'

const themes = new Map(bundledThemesInfo.map(theme => [theme.id, theme.type]))

test('RES-SNIP-r7: Shiki themes and Pygments styles are valid styles', () => {
  for (const id of themes.keys()) assert.equal(styles.get(id), id)
  assert.equal(styles.get('friendly'), 'vitesse-light')
  assert.equal(styles.get('gruvbox-dark'), 'gruvbox-dark-medium')
})

test('RES-SNIP-r7: every style maps to a Shiki theme', () => {
  for (const [name, id] of styles) assert.ok(themes.has(id), name)
  assert.ok(themes.has(defaultTheme))
  assert.deepEqual(
    Object.keys(pygmentsStyles).filter(name => themes.has(name)),
    [],
  )
})

test('RES-SNIP-r7: dark Pygments styles map to dark themes, light styles to light themes', () => {
  const dark = Object.keys(pygmentsStyles).filter(name => themes.get(styles.get(name) ?? '') === 'dark')
  const expected = 'coffee fruity gruvbox-dark inkpot lightbulb material native nord-darker one-dark paraiso-dark'
  assert.deepEqual(dark, [...expected.split(' '), 'rrt', 'stata-dark', 'vim', 'zenburn'])
})

test('RES-SNIP-r7: names of Object.prototype are not styles', () => {
  for (const name of ['__proto__', 'constructor', 'toString', '', 'zz']) assert.equal(styles.has(name), false, name)
})
