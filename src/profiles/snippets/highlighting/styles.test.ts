import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bundledThemesInfo } from 'shiki/themes'
import { pygmentsStyles } from './pygments-styles.ts'
import { defaultTheme, styles } from './styles.ts'

const themes = new Map(bundledThemesInfo.map(theme => [theme.id, theme.type]))

test('RES-SNIP-r7: a style is a theme of Shiki by its own name or a style of Pygments', () => {
  for (const id of themes.keys()) assert.equal(styles.get(id), id)
  assert.equal(styles.get('friendly'), 'vitesse-light')
  assert.equal(styles.get('gruvbox-dark'), 'gruvbox-dark-medium')
})

test('RES-SNIP-r7: every style leads to a theme that Shiki has', () => {
  for (const [name, id] of styles) assert.ok(themes.has(id), name)
  assert.ok(themes.has(defaultTheme))
  assert.deepEqual(
    Object.keys(pygmentsStyles).filter(name => themes.has(name)),
    [],
  )
})

test('RES-SNIP-r7: dark styles of Pygments are shown dark and light ones light', () => {
  const dark = Object.keys(pygmentsStyles).filter(name => themes.get(styles.get(name) ?? '') === 'dark')
  const expected = 'coffee fruity gruvbox-dark inkpot lightbulb material native nord-darker one-dark paraiso-dark'
  assert.deepEqual(dark, [...expected.split(' '), 'rrt', 'stata-dark', 'vim', 'zenburn'])
})

test('RES-SNIP-r7: the names every object has are not styles', () => {
  for (const name of ['__proto__', 'constructor', 'toString', '', 'zz']) assert.equal(styles.has(name), false, name)
})
